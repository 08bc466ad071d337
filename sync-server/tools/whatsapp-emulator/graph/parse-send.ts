import * as z from 'zod/mini'
import { GraphFault } from '../wire/graph-fault.ts'
import { envelopeShape, type MessageTypeName, typeShapes } from '../wire/message-shapes.ts'

export interface ParsedSend {
  to: string | undefined
  recipient: string | undefined
  type: MessageTypeName
  /** The object under the type's name. */
  content: Record<string, unknown>
  contextId: string | undefined
  callbackData: string | null
  request: Record<string, unknown>
}

const anyObject = z.record(z.string(), z.unknown())

/**
 * Reads a send as Meta does: its JSON shape, then the required fields, then the limits.
 * @throws GraphFault 100, 131008, 131009
 */
export function parseSend(body: unknown): ParsedSend {
  const read = anyObject.safeParse(body)
  if (!read.success) throw new GraphFault(100, { details: 'The body must be a JSON object' })
  const request = read.data
  const type = request.type ?? 'text'
  if (typeof type !== 'string')
    throw new GraphFault(100, { details: 'Param type must be a string' })
  refuseNulls(request, '')
  const { [type]: content, ...around } = request
  const envelope = parse(envelopeShape, around, '')
  if (!isKnownType(type)) {
    throw new GraphFault(100, { details: `Param type must be one of ${typeNames.join(', ')}` })
  }
  if (!envelope.to && !envelope.recipient) {
    throw new GraphFault(100, { details: 'The parameter to is required.' })
  }
  if (content === undefined) {
    throw new GraphFault(131008, { details: `Parameter '${type}' is mandatory for type '${type}'` })
  }
  if (type === 'reaction' && envelope.context) {
    throw new GraphFault(131009, { details: 'context is not allowed for reactions' })
  }
  parse(typeShapes[type], content, type)
  return {
    to: envelope.to,
    recipient: envelope.recipient,
    type,
    request,
    content: content as Record<string, unknown>,
    contextId: envelope.context?.message_id,
    callbackData: envelope.biz_opaque_callback_data ?? null,
  }
}

const typeNames = Object.keys(typeShapes)

function isKnownType(type: string): type is MessageTypeName {
  return Object.hasOwn(typeShapes, type)
}

/** Meta refuses null everywhere: callers must omit unset fields. */
function refuseNulls(value: unknown, path: string) {
  if (value === null) throw new GraphFault(100, { details: `Param ${path} must not be null` })
  if (typeof value !== 'object') return
  for (const [key, inner] of Object.entries(value))
    refuseNulls(inner, path ? `${path}.${key}` : key)
}

function parse<Shape extends z.ZodMiniType>(
  shape: Shape,
  value: unknown,
  place: string,
): z.output<Shape> {
  const read = shape.safeParse(value)
  if (read.success) return read.data
  throw describeIssue(read.error.issues, value, place)
}

/** Reports wrong shapes before missing fields, and those before exceeded limits. */
function describeIssue(issues: z.core.$ZodIssue[], value: unknown, place: string): GraphFault {
  const unknown = issues.find((issue) => issue.code === 'unrecognized_keys')
  if (unknown) {
    const where = nameOf(unknown, place) || 'the body'
    return new GraphFault(100, {
      details: `Unexpected key "${unknown.keys[0]}" on param "${where}"`,
    })
  }
  const missing = issues.find(
    (issue) => issue.code.startsWith('invalid_') && readAt(value, issue.path) === undefined,
  )
  if (missing) {
    const name = nameOf(missing, place)
    return new GraphFault(name === 'messaging_product' ? 100 : 131008, {
      details: `The parameter ${name} is required.`,
    })
  }
  const mistyped = issues.find((issue) => issue.code === 'invalid_type')
  if (mistyped) {
    const details = `Param ${nameOf(mistyped, place)} must be a ${mistyped.expected}`
    return new GraphFault(100, { details })
  }
  const issue = issues[0]
  const words = issue?.code === 'custom' ? issue.message : 'Parameter value is not valid'
  return new GraphFault(131009, {
    details: `${issue ? nameOf(issue, place) : place}: ${words}`,
  })
}

function nameOf(issue: z.core.$ZodIssue, place: string): string {
  return [place, ...issue.path.map(String)].filter(Boolean).join('.')
}

function readAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined),
    value,
  )
}
