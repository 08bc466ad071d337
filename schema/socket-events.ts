import * as z from 'zod/mini'
import { id } from './id.ts'
import { limits } from './limits.ts'
import { messageTypes } from './message.ts'

/** The subprotocol that both sides speak, and the one that carries the token (`bearer.<token>`). */
export const socketProtocol = 'petrel.v1'
export const bearerProtocolPrefix = 'bearer.'

/** Close codes of our own: RFC 6455 leaves 4000–4999 to applications. */
export const socketCloseCodes = { signInEnded: 4401, badFrame: 4400, tooManyFrames: 4429 } as const

/** A message as `send-message` may carry it; a bare string is its text. */
const outgoing = z.object({
  _id: z.optional(id),
  content: z.string().check(z.maxLength(limits.messageMaxCharacters)),
  type: z.optional(z.enum(messageTypes)),
  replyToMessageId: z.optional(id),
})

/** What a device may say, by event name. A frame is `{event, data}`. */
export const clientEvents = {
  /** The id is what the client believes to be; the server knows who it is from the token. */
  'user-online': z.optional(z.string().check(z.maxLength(64))),
  typing: z.object({ recipientId: id }),
  'stop-typing': z.object({ recipientId: id }),
  'send-message': z.object({
    recipientId: id,
    message: z.union([z.string().check(z.maxLength(limits.messageMaxCharacters)), outgoing]),
  }),
} as const

/** What the server says, by event name. */
export const serverEvents = {
  'users-online': z.array(id),
  'user-typing': z.object({ userId: id }),
  'user-stop-typing': z.object({ userId: id }),
  /** A hint (P7): what it tells arrives by replication too. `timestamp` is an ISO time. */
  'receive-message': z.object({
    messageId: id,
    senderId: id,
    recipientId: id,
    senderUsername: z.string(),
    content: z.string(),
    timestamp: z.iso.datetime(),
    type: z.enum(messageTypes),
  }),
  /** A message that came by `send-message` was not taken; `code` and `error` say why. */
  'message-refused': z.object({ messageId: id, code: z.string(), error: z.string() }),
} as const

export type ClientEventName = keyof typeof clientEvents
export type ClientEvent = {
  [Name in ClientEventName]: { event: Name; data: z.infer<(typeof clientEvents)[Name]> }
}[ClientEventName]

export type ServerEventName = keyof typeof serverEvents
export type ServerEvent = {
  [Name in ServerEventName]: { event: Name; data: z.infer<(typeof serverEvents)[Name]> }
}[ServerEventName]

const frame = z.object({ event: z.string(), data: z.optional(z.unknown()) })

/** Reads a frame from a device; null if it is not one that a device may send. */
export function parseClientFrame(text: string): ClientEvent | null {
  return readEvent(parseJson(text), clientEvents) as ClientEvent | null
}

/** Reads a frame from the server; null if this version does not know it. */
export function parseServerFrame(text: string): ServerEvent | null {
  return parseServerEvent(parseJson(text))
}

/** Reads an event that came by a poll; null if this version does not know it. */
export function parseServerEvent(value: unknown): ServerEvent | null {
  return readEvent(value, serverEvents) as ServerEvent | null
}

function readEvent(value: unknown, events: Record<string, z.ZodMiniType>) {
  const outer = frame.safeParse(value)
  if (!outer.success || !Object.hasOwn(events, outer.data.event)) return null
  const data = events[outer.data.event]?.safeParse(outer.data.data)
  return data?.success ? { event: outer.data.event, data: data.data } : null
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
