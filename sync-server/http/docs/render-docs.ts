import type { ApiDescription, Operation } from './api-description.ts'
import { describeType } from './describe-type.ts'
import { escapeHtml } from './escape-html.ts'

/** The description as a self-contained page with only `docs.css`: no script, no other origin. */
export function renderDocs(api: ApiDescription): string {
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
