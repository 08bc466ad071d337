import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { Request, Response } from 'express'
import * as z from 'zod/mini'
import { describeError, errorAnswer } from '../../schema/api/api-error.ts'
import { listErrors } from './core/request-refused.ts'
import { alreadySent, defineRoute, type Route } from './core/route.ts'
import { createSchemaDescriber, type JsonSchema, type SchemaDescriber } from './schema-describer.ts'

const signs: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const version = '1.0.0'

const about = `Every call of Petrel's server. Errors are answered as \`{error, code}\`: words for a person, and a word for a
program. Times are ISO strings. A call that carries an \`Idempotency-Key\` (a UUID) can be repeated: it is done once.
Documents are replicated beside this, by CouchDB's protocol, at \`/sync/messages\` and \`/sync/conversations\`./docs`

/** The style of the page at `/api/docs`: a separate file, because the CSP forbids inline styles. */
const docsStyle = `
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --accent: #00776d; }
@media (prefers-color-scheme: dark) { :root { --accent: #4cc9b8; } }
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; display: grid; grid-template-columns: 22rem minmax(0, 1fr); }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1rem; border-right: 1px solid var(--line); font-size: .85rem; }
nav h2 { font-size: 1rem; margin: 1rem 0 .25rem; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav li { overflow-wrap: anywhere; padding-left: 5em; text-indent: -5em; }
nav b { text-indent: 0; }
nav b { display: inline-block; min-width: 5em; }
main { padding: 1rem 2rem 4rem; max-width: 60rem; }
a { color: var(--accent); }
a:focus-visible { outline: 2px solid var(--accent); }
h2 { margin-top: 3rem; }
section { border: 1px solid var(--line); border-radius: .5rem; padding: 0 1rem 1rem; margin: 1rem 0; scroll-margin-top: 1rem; }
section:target { border-color: var(--accent); }
h3 { overflow-wrap: anywhere; }
h3 b { color: var(--accent); margin-right: .5em; }
h4 { margin: 1rem 0 .25rem; }
small { opacity: .8; }
pre, code { font-family: ui-monospace, monospace; font-size: .875em; }
pre { background: var(--soft); padding: .75rem; border-radius: .5rem; overflow: auto; margin: .25rem 0; }
table { border-collapse: collapse; }
td { border-bottom: 1px solid var(--line); padding: .25rem 1rem .25rem 0; vertical-align: top; }
dl { display: grid; grid-template-columns: 3.5rem minmax(0, 1fr); gap: .25rem; margin: 0; }
dd { margin: 0; overflow-wrap: anywhere; }
@media (max-width: 60rem) {
  body { display: block; }
  nav { position: static; height: auto; max-height: 40vh; border-right: 0; border-bottom: 1px solid var(--line); }
  main { padding: 1rem; }
}
`

/** What never changes while this server runs. */
interface Prepared {
  plain: Buffer
  packed: Buffer
  tag: string
}

/**
 * The description of all calls, for programs and for people: made once, because strangers may ask
 * for it. @param root calls outside `/api`
 */
export function createDocsRoutes(routes: {
  api: readonly Route[]
  root: readonly Route[]
}): Route[] {
  const docsRoutes: Route[] = [
    defineRoute({
      method: 'get',
      path: '/openapi.json',
      access: 'anyone',
      summary: 'This description, in OpenAPI 3.1.',
      status: 200,
      answer: z.looseObject({ openapi: z.string() }),
      async handle(asked) {
        prepared.json ??= prepare(JSON.stringify(describe()))
        return send('json', { ...asked, prepared: prepared.json })
      },
    }),

    defineRoute({
      method: 'get',
      path: '/docs',
      access: 'anyone',
      summary: 'This description, as a page.',
      status: 200,
      produces: 'text/html',
      answer: z.unknown(),
      async handle(asked) {
        prepared.page ??= prepare(renderDocs(describe()))
        return send('html', { ...asked, prepared: prepared.page })
      },
    }),

    defineRoute({
      method: 'get',
      path: '/docs.css',
      access: 'anyone',
      summary: 'How the page looks.',
      status: 200,
      produces: 'text/css',
      answer: z.unknown(),
      async handle(asked) {
        prepared.style ??= prepare(docsStyle)
        return send('css', { ...asked, prepared: prepared.style })
      },
    }),
  ]
  let described: ApiDescription | undefined
  const prepared: { json?: Prepared; page?: Prepared; style?: Prepared } = {}
  /** At the first question: it would cost a seventh of the server's start. */
  function describe(): ApiDescription {
    described ??= describeApi({ ...routes, api: [...routes.api, ...docsRoutes] })
    return described
  }
  return docsRoutes
}

function prepare(text: string): Prepared {
  const plain = Buffer.from(text)
  const tag = createHash('sha256').update(text).digest('base64url').slice(0, 22)
  return { plain, packed: gzipSync(text, { level: 9 }), tag }
}

function send(
  type: 'json' | 'html' | 'css',
  { request, response, prepared }: { request: Request; response: Response; prepared: Prepared },
): typeof alreadySent {
  const isPacked = request.acceptsEncodings('gzip') === 'gzip'
  response.type(type).vary('accept-encoding')
  response.set({
    etag: `"${prepared.tag}${isPacked ? '-gzip' : ''}"`,
    'cache-control': 'no-cache',
    ...(isPacked && { 'content-encoding': 'gzip' }),
  })
  if (request.fresh) response.removeHeader('content-encoding')
  if (request.fresh) response.status(304).end()
  else response.end(isPacked ? prepared.packed : prepared.plain)
  return alreadySent
}

/**
 * Describes calls in OpenAPI 3.1, from the schemas that parse them. @param root calls outside
 * `/api`
 */
function describeApi(routes: { api: readonly Route[]; root: readonly Route[] }): ApiDescription {
  const describer = createSchemaDescriber()
  const paths: Record<string, Record<string, Operation>> = {}
  const place = (route: Route, operation: Operation) => {
    paths[route.path] = { ...paths[route.path], [route.method]: operation }
  }
  for (const route of routes.api) place(route, describeOperation(route, describer))
  for (const route of routes.root) {
    place(route, { ...describeOperation(route, describer), servers: [{ url: '/' }] })
  }
  const tags = new Set([...routes.api, ...routes.root].map(nameTag))
  return {
    openapi: '3.1.0',
    info: { title: 'Petrel', version, description: about.replaceAll('\n', ' ') },
    servers: [{ url: '/api' }],
    tags: [...tags].map((name) => ({ name })),
    paths,
    components: {
      schemas: Object.fromEntries(
        Object.entries(describer.components).sort(([a], [b]) => (a < b ? -1 : 1)),
      ),
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
    },
  }
}

/** Describes one call: its inputs, its answers, and every refusal that it names. */
function describeOperation(route: Route, describer: SchemaDescriber): Operation {
  const { params, query, headers, body, filePart, consumes } = route
  const parameters = [
    ...describeParameters(params, 'path', describer),
    ...describeParameters(query, 'query', describer),
    ...describeParameters(headers, 'header', describer),
  ]
  return {
    operationId: nameOperation(route),
    summary: route.summary,
    tags: [nameTag(route)],
    security: route.access === 'anyone' ? [] : [{ bearer: [] }],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: jsonBody(body, describer) } : {}),
    ...(filePart ? { requestBody: fileBody(filePart) } : {}),
    ...(consumes ? { requestBody: bytesBody(consumes) } : {}),
    responses: { ...describeAnswers(route, describer), ...describeRefusals(route, describer) },
  }
}

function jsonBody(body: z.ZodMiniType, describer: SchemaDescriber) {
  const schema = describer.describe(body, 'input')
  return { required: true as const, content: { 'application/json': { schema } } }
}

function fileBody(part: string) {
  const schema = {
    type: 'object',
    properties: { [part]: { type: 'string', format: 'binary' } },
    required: [part],
  }
  return { required: true as const, content: { 'multipart/form-data': { schema } } }
}

function bytesBody(type: string) {
  const schema = { type: 'string', format: 'binary' }
  return { required: true as const, content: { [type]: { schema } } }
}

function describeParameters(
  schema: z.ZodMiniType | undefined,
  place: Parameter['in'],
  describer: SchemaDescriber,
): Parameter[] {
  if (!schema) return []
  const { properties = {}, required = [] } = describer.describe(schema, 'input')
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: required.includes(name),
    schema: property,
  }))
}

function describeAnswers(route: Route, describer: SchemaDescriber): Record<string, Answer> {
  const type = route.produces ?? 'application/json'
  const schema = route.produces ? {} : describer.describe(route.answer, 'output')
  const content = { [type]: { schema } }
  const others = Object.entries(route.otherStatuses ?? {})
  return {
    [route.status]: { description: route.status === 201 ? 'Created.' : 'Done.', content },
    ...Object.fromEntries(
      others.map(([status, description]) => [status, { description, content }]),
    ),
  }
}

function describeRefusals(route: Route, describer: SchemaDescriber): Record<string, Answer> {
  const schema = describer.describe(errorAnswer, 'output')
  const byStatus = new Map<number, string[]>()
  for (const code of new Set(listErrors(route))) {
    const { status, error } = describeError(code)
    byStatus.set(status, [...(byStatus.get(status) ?? []), `\`${code}\`: ${error}`])
  }
  return Object.fromEntries(
    [...byStatus]
      .sort(([a], [b]) => a - b)
      .map(([status, words]) => [
        status,
        { description: words.join('\n'), content: { 'application/json': { schema } } },
      ]),
  )
}

/** The description as a self-contained page with only `docs.css`: no script, no other origin. */
function renderDocs(api: ApiDescription): string {
  const calls = listCalls(api)
  const groups = api.tags.map(({ name }) => ({
    name,
    calls: calls.filter(({ operation }) => operation.tags.includes(name)),
  }))
  const { title, version, description } = api.info
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}: the calls of the server</title>
<link rel="stylesheet" href="/api/docs.css">
</head>
<body>
<nav aria-label="Calls">
${groups.map(renderContents).join('\n')}
<h2><a href="#types">Types</a></h2>
</nav>
<main>
<h1>${escapeHtml(title)} <small>${escapeHtml(version)}</small></h1>
<p>${renderText(description)}</p>
<p>For programs: <a href="/api/openapi.json">openapi.json</a> (OpenAPI ${api.openapi}).</p>
${groups.map(renderGroup).join('\n')}
<h2 id="types">Types</h2>
${Object.entries(api.components.schemas)
  .map(
    ([name, schema]) =>
      `<section id="type-${escapeHtml(name)}"><h3>${escapeHtml(name)}</h3><pre>${describeType(schema)}</pre></section>`,
  )
  .join('\n')}
</main>
</body>
</html>
`
}

interface Call {
  method: string
  path: string
  operation: Operation
}

function listCalls(api: ApiDescription): Call[] {
  return Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path: `${operation.servers ? '' : '/api'}${path}`,
      operation,
    })),
  )
}

function renderContents({ name, calls }: { name: string; calls: Call[] }): string {
  const entries = calls.map(
    ({ method, path, operation }) =>
      `<li><a href="#${operation.operationId}"><b>${method}</b>${escapeHtml(path.replace('/api', ''))}</a></li>`,
  )
  return `<h2>${escapeHtml(name)}</h2><ul>${entries.join('')}</ul>`
}

function renderGroup({ name, calls }: { name: string; calls: Call[] }): string {
  return `<h2>${escapeHtml(name)}</h2>\n${calls.map(renderCall).join('\n')}`
}

function renderCall({ method, path, operation }: Call): string {
  const { parameters = [], requestBody, responses, security } = operation
  const access = security.length > 0 ? 'Needs a bearer token.' : 'Open to anyone.'
  const rows = parameters.map(
    (one) =>
      `<tr><td><code>${escapeHtml(one.name)}</code></td><td>${one.in}${one.required ? '' : ', optional'}</td><td><code>${describeType(one.schema)}</code></td></tr>`,
  )
  const bodies = Object.entries(requestBody?.content ?? {}).map(
    ([type, { schema }]) =>
      `<h4>Takes <small>${type}</small></h4><pre>${describeType(schema)}</pre>`,
  )
  const answers = Object.entries(responses).map(([status, answer]) => {
    const shown = Number(status) < 300 ? Object.entries(answer.content ?? {}) : []
    const types = shown.map(([type, { schema }]) =>
      type === 'application/json' ? `<pre>${describeType(schema)}</pre>` : `<p>${type}</p>`,
    )
    return `<dt>${status}</dt><dd>${renderText(answer.description)}${types.join('')}</dd>`
  })
  return `<section id="${operation.operationId}">
<h3><b class="${method.toLowerCase()}">${method}</b> <code>${escapeHtml(path)}</code></h3>
<p>${renderText(operation.summary)} <small>${access}</small></p>
${rows.length > 0 ? `<table>${rows.join('')}</table>` : ''}
${bodies.join('')}
<h4>Answers</h4><dl>${answers.join('')}</dl>
</section>`
}

function renderText(text: string): string {
  return escapeHtml(text)
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replaceAll('\n', '<br>')
}

/** A schema as a TypeScript-like type in HTML; named schemas become links. */
function describeType(schema: JsonSchema, depth = 0): string {
  const { $ref, anyOf, enum: values, properties, items } = schema
  if ($ref !== undefined) {
    const name = escapeHtml($ref.split('/').at(-1) ?? '')
    return `<a href="#type-${name}">${name}</a>`
  }
  if ('const' in schema) return escapeHtml(JSON.stringify(schema.const))
  if (values) return values.map((value) => escapeHtml(JSON.stringify(value))).join(' | ')
  if (anyOf) return anyOf.map((one) => describeType(one, depth)).join(' | ')
  if (items) return `${describeType(items, depth)}[]`
  if (properties && Object.keys(properties).length > 0) return describeFields(schema, depth)
  if (typeof schema.additionalProperties === 'object') return '{ [name]: any JSON }'
  const type = [schema.type ?? 'any JSON'].flat().join(' | ')
  return `${escapeHtml(type)}${describeLimits(schema)}`
}

function describeFields({ properties = {}, required = [] }: JsonSchema, depth: number): string {
  const indent = '  '.repeat(depth + 1)
  const lines = Object.entries(properties).map(([name, property]) => {
    const mark = required.includes(name) && property.default === undefined ? '' : '?'
    return `${indent}${escapeHtml(name)}${mark}: ${describeType(property, depth + 1)}`
  })
  return `{\n${lines.join('\n')}\n${'  '.repeat(depth)}}`
}

function describeLimits(schema: JsonSchema): string {
  const { format, minLength, maxLength, minimum, maximum, pattern } = schema
  const told = [
    format,
    minLength !== undefined && `${minLength} or more`,
    maxLength !== undefined && `at most ${maxLength}`,
    minimum !== undefined && `from ${minimum}`,
    maximum !== undefined && `to ${maximum}`,
    pattern,
  ].filter((one) => typeof one === 'string')
  return told.length > 0 ? ` <small>${escapeHtml(told.join(', '))}</small>` : ''
}

/** Escapes text for any place in a page. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => signs[sign] ?? sign)
}

/** The part of the product that a call belongs to: the first word of its address. */
function nameTag(route: Pick<Route, 'path'>): string {
  const [first = ''] = route.path.slice(1).split('/')
  return ['auth', 'users', 'messages', 'media'].includes(first) ? first : 'server'
}

/** A name that tells one call from all others: `putUsersIdBlock`. */
function nameOperation(route: Pick<Route, 'path' | 'method'>): string {
  const words = route.path.split(/[^A-Za-z]+/).filter(Boolean)
  return route.method + words.map((word) => (word[0] ?? '').toUpperCase() + word.slice(1)).join('')
}

/** The part of OpenAPI 3.1 that our description uses. */
export interface ApiDescription {
  openapi: '3.1.0'
  info: { title: string; version: string; description: string }
  servers: { url: string }[]
  tags: { name: string }[]
  paths: Record<string, Record<string, Operation>>
  components: {
    schemas: Record<string, JsonSchema>
    securitySchemes: Record<string, { type: 'http'; scheme: 'bearer'; bearerFormat: string }>
  }
}

export interface Operation {
  operationId: string
  summary: string
  tags: string[]
  servers?: { url: string }[]
  security: Record<string, string[]>[]
  parameters?: Parameter[]
  requestBody?: { required: true; content: Content }
  responses: Record<string, Answer>
}

interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  schema: JsonSchema
}

interface Answer {
  description: string
  content?: Content
}

type Content = Record<string, { schema: JsonSchema }>
