import * as z from 'zod/mini'
import type { StoredTemplate } from '../state/seed-templates.ts'
import { GraphFault } from '../wire/graph-fault.ts'
import { listPlaceholders } from './check-template.ts'
import { type GraphCall, type GraphReply, succeed } from './graph-call.ts'
import { readJsonBody } from './read-json-body.ts'

type AccountCall = GraphCall<{ kind: 'account'; id: string }>

/** `GET /{account}/message_templates`, paged by the place of the last one. */
export function listTemplates({ emulation, node, query }: AccountCall): GraphReply {
  const { state, place } = emulation
  const status = query.get('status')?.toUpperCase()
  const fitting = state.templates.filter(
    (one) =>
      (status === undefined || one.status === status) &&
      (query.get('name') === null || one.name === query.get('name')),
  )
  const limit = Math.min(Math.max(1, Number(query.get('limit') ?? 25) || 25), 250)
  const from = readCursor(query.get('after'))
  const page = fitting.slice(from, from + limit)
  const next = new URL(`${place.url}/v25.0/${node.id}/message_templates`)
  for (const [name, value] of query) next.searchParams.set(name, value)
  const after = writeCursor(from + page.length)
  next.searchParams.set('after', after)
  const fields = query.get('fields')?.split(',')
  return {
    kind: 'json',
    body: {
      data: page.map((template) => pickFields(template, fields)),
      paging: {
        cursors: { before: writeCursor(from), after },
        ...(from + page.length < fitting.length && { next: next.href }),
      },
    },
  }
}

const writeCursor = (place: number) => Buffer.from(String(place)).toString('base64url')

function readCursor(cursor: string | null): number {
  if (cursor === null) return 0
  const place = Number(Buffer.from(cursor, 'base64url').toString())
  if (!Number.isInteger(place)) throw new GraphFault(100, { details: 'Invalid cursor' })
  return place
}

/** Only the requested fields, and always the id. */
function pickFields(template: StoredTemplate, fields: string[] | undefined) {
  const all = Object.entries(template)
  if (!fields) return template
  return Object.fromEntries(all.filter(([name]) => name === 'id' || fields.includes(name)))
}

const creation = z.strictObject({
  name: z.string().check(z.regex(/^[a-z0-9_]{1,512}$/)),
  language: z.string().check(z.minLength(2)),
  category: z.enum(['UTILITY', 'MARKETING', 'AUTHENTICATION']),
  parameter_format: z.optional(z.enum(['POSITIONAL', 'NAMED'])),
  allow_category_change: z.optional(z.boolean()),
  components: z
    .array(
      z.strictObject({
        type: z.enum(['HEADER', 'BODY', 'FOOTER', 'BUTTONS']),
        format: z.optional(z.string()),
        text: z.optional(z.string()),
        example: z.optional(z.record(z.string(), z.unknown())),
        buttons: z.optional(
          z.array(
            z.strictObject({ type: z.string(), text: z.string(), url: z.optional(z.string()) }),
          ),
        ),
      }),
    )
    .check(z.minLength(1)),
})

/** `POST /{account}/message_templates`: approves at once. */
export function createTemplate({ emulation, body }: AccountCall): GraphReply {
  const read = creation.safeParse(readJsonBody(body))
  if (!read.success) {
    throw new GraphFault(100, { details: z.prettifyError(read.error) })
  }
  const { allow_category_change, ...given } = read.data
  const text = given.components.find(({ type }) => type === 'BODY')?.text
  if (!text) throw new GraphFault(100, { details: 'A BODY component is required' })
  refuseBareBody(text)
  const { state } = emulation
  const isTaken = ({ name, language }: StoredTemplate) =>
    name === given.name && language === given.language
  if (state.templates.some(isTaken)) {
    throw new GraphFault(100, {
      subcode: 2388024,
      details: 'Content in this language already exists',
    })
  }
  const template: StoredTemplate = {
    parameter_format: 'POSITIONAL',
    ...given,
    status: 'APPROVED',
    id: state.random.digits('template', 16),
  } as StoredTemplate
  state.templates.push(template)
  const { id, status, category } = template
  return { kind: 'json', body: { id, status, category } }
}

/** Meta refuses a body that begins or ends with a placeholder, or has two adjacent ones. */
function refuseBareBody(text: string) {
  const isBare = /^\s*\{\{|\}\}\s*$|\}\}\s*\{\{/.test(text) && listPlaceholders(text).length > 0
  if (isBare) {
    throw new GraphFault(100, {
      subcode: 2388299,
      details: 'Variables can not be at the start or end of the template',
    })
  }
}

/** `DELETE /{account}/message_templates`: all languages of a name, or the one of `hsm_id`. */
export function deleteTemplate({ emulation, query }: AccountCall): GraphReply {
  const { state } = emulation
  const name = query.get('name')
  const id = query.get('hsm_id')
  const isMeant = (one: StoredTemplate) => one.name === name && (id === null || one.id === id)
  if (!state.templates.some(isMeant)) {
    throw new GraphFault(100, { details: 'Message template not found' })
  }
  state.templates = state.templates.filter((one) => !isMeant(one))
  return succeed()
}

export function describeTemplate({
  node,
  query,
}: GraphCall<{ kind: 'template'; template: StoredTemplate }>): GraphReply {
  return {
    kind: 'json',
    body: pickFields(node.template, query.get('fields')?.split(',')),
  }
}
