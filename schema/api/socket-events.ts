import * as z from 'zod/mini'
import { id } from '../id.ts'
import { limits } from '../limits.ts'
import { messageStatuses, messageTypes } from '../message.ts'

/** The subprotocol that both sides speak, and the one that carries the token (`bearer.<token>`). */
export const socketProtocol = 'petrel.v1'
/**
 * The second version: a device may follow its databases (`follow-changes`), and is told that the line is alive
 * (`here`). It is offered beside the first; the server's choice says what it speaks.
 */
export const changesProtocol = 'petrel.v2'
export const bearerProtocolPrefix = 'bearer.'

/**
 * What a device may understand beyond the first version. It offers `understands.<word>` as a subprotocol too, because
 * an older server takes no notice of that, and closes a socket for an event that it does not know.
 * - `presence-changes`: after the first `users-online` it is told what changes, by `presence-changed`
 */
const socketWords = ['presence-changes'] as const
export type SocketWord = (typeof socketWords)[number]
export const understandsProtocolPrefix = 'understands.'

/** Those of the words offered that this version knows. */
export function readSocketWords(offered: Iterable<string>): readonly SocketWord[] {
  const words = new Set(offered)
  return socketWords.filter((word) => words.has(word))
}

/** Close codes of our own: RFC 6455 leaves 4000–4999 to applications. */
export const socketCloseCodes = {
  badFrame: 4400,
  signInEnded: 4401,
  /** A person has more sockets than `limits.socketsPerPersonMax`: do not connect again until somebody comes back. */
  displaced: 4409,
  tooManyFrames: 4429,
} as const

/** What each code says to a person; a close frame has room for 123 bytes. */
export const socketCloseWords: Record<keyof typeof socketCloseCodes, string> = {
  badFrame: 'This frame cannot be read.',
  signInEnded: 'Please sign in again.',
  displaced: 'You have too many tabs or devices open. This one reconnects when you return to it.',
  tooManyFrames: 'Too many frames.',
}

/** A message as `send-message` may carry it; a bare string is its text. */
const outgoing = z.object({
  _id: z.optional(id),
  content: z.string().check(z.maxLength(limits.messageMaxCharacters)),
  type: z.optional(z.enum(messageTypes)),
  replyToMessageId: z.optional(id),
})

/** The databases of a person that replicate. */
const replicatedDatabase = z.enum(['messages', 'conversations'])
export type ReplicatedDatabase = z.infer<typeof replicatedDatabase>
/** A place in a database's history, as `_changes` tells it. */
const seq = z.union([z.int().check(z.gte(0)), z.string().check(z.maxLength(4_096))])

const phone = z.string().check(z.minLength(1), z.maxLength(100))
const conversationName = z.string().check(z.minLength(1), z.maxLength(300))

/** What a device may say, by event name. A frame is `{event, data}`. */
export const clientEvents = {
  /** The id is what the client believes to be; the server knows who it is from the token. */
  'user-online': z.optional(z.string().check(z.maxLength(64))),
  typing: z.object({ recipientId: id }),
  'stop-typing': z.object({ recipientId: id }),
  /** Whom this device shows now, in place of whom it named before. Only a server that told a `presence-scope` knows it. */
  'watch-people': z.object({ userIds: z.array(id).check(z.maxLength(limits.watchedPeopleMax)) }),
  /**
   * From where on this device is to be given what is written there; anew after each `changes-missed`. Without a place
   * it wants nothing more.
   */
  'follow-changes': z.object({
    database: replicatedDatabase,
    since: z.optional(seq),
    /** In which epoch that was counted; undefined when none was told. */
    epoch: z.optional(z.string().check(z.maxLength(200))),
  }),
  /** A reaction to a message that this person has; empty takes it back. */
  'set-reaction': z.object({ messageId: id, emoji: z.string().check(z.maxLength(200)) }),
  'send-message': z.object({
    recipientId: id,
    message: z.union([z.string().check(z.maxLength(limits.messageMaxCharacters)), outgoing]),
  }),
  /** The same as `POST /webhooks/send`. It is answered by a `whatsapp-status-update` with the `clientMessageId`. */
  'send-whatsapp-message': z.object({
    phoneNumber: phone,
    message: z.unknown(),
    type: z._default(z.string().check(z.maxLength(40)), 'text'),
    clientMessageId: z.optional(id),
  }),
  /** Each is answered by `whatsapp-contact`. An operator's devices are told of all their contacts, subscribed or not. */
  'subscribe-whatsapp-contact': z.object({ phoneNumber: phone }),
  'unsubscribe-whatsapp-contact': z.object({ phoneNumber: phone }),
  'join-whatsapp-conversation': z.object({ conversationId: conversationName }),
  'leave-whatsapp-conversation': z.object({ conversationId: conversationName }),
} as const

/** What the server says, by event name. */
export const serverEvents = {
  /** Who is online, of those whom the device may see: it takes the place of all that was told before. */
  'users-online': z.array(id),
  /**
   * Of whom the device is told, for those that understand `presence-changes`: first said when it is not `everybody`.
   * `some`: too many are online; people one has a chat with, and those that the device watches.
   */
  'presence-scope': z.enum(['everybody', 'some']),
  /** What has changed since, for those that understand `presence-changes`. */
  'presence-changed': z.object({ online: z.array(id), offline: z.array(id) }),
  /**
   * All that was written into a followed database between two places, the newest version of each document. It only
   * hurries (P7): who does not stand at `from` asks `_changes`.
   */
  changes: z.object({
    database: replicatedDatabase,
    from: seq,
    to: seq,
    docs: z.array(z.looseObject({ _id: z.string(), _rev: z.string() })),
  }),
  /** There is more than this device was given: it asks `_changes`, and follows again from there. */
  'changes-missed': z.object({ database: replicatedDatabase }),
  /**
   * As often as the server pings: who hears nothing at all has lost the line, and who does not stand where the server
   * believes has lost a frame.
   */
  here: z.object({ messages: z.optional(seq), conversations: z.optional(seq) }),
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
  /** A hint (P7), as the specification names it: a customer wrote. The same id again brings its file. */
  'whatsapp-message-received': z.object({
    messageId: id,
    senderId: id,
    senderUsername: z.string(),
    message: z.string(),
    content: z.string(),
    timestamp: z.iso.datetime(),
    type: z.enum(messageTypes),
    isWhatsApp: z.literal(true),
    whatsapp_message_id: z.nullable(z.string()),
    from_phone: z.nullable(z.string()),
    to_phone: z.nullable(z.string()),
    conversationId: z.string(),
    status: z.enum(messageStatuses),
    mediaUrl: z.nullable(z.string()),
    interactive: z.nullable(z.json()),
    button: z.nullable(z.json()),
    list_reply: z.nullable(z.json()),
    location: z.nullable(z.json()),
    contacts: z.nullable(z.json()),
    replyTo: z.nullable(id),
  }),
  /** A hint: an own message came further, or failed. `messageId` is null for one that was refused before it was kept. */
  'whatsapp-status-update': z.object({
    messageId: z.nullable(id),
    clientMessageId: z.optional(id),
    whatsapp_message_id: z.nullable(z.string()),
    status: z.enum(['sent', 'delivered', 'read', 'failed']),
    timestamp: z.iso.datetime(),
    error: z.nullable(z.string()),
    code: z.nullable(z.union([z.string(), z.number()])),
  }),
  'whatsapp-webhook-processed': z.object({
    eventId: z.string(),
    status: z.string(),
    field: z.string(),
    messages: z.number(),
    statuses: z.number(),
    duplicates: z.number(),
    processedAt: z.iso.datetime(),
    messageIds: z.array(id),
    error: z.nullable(z.string()),
  }),
  /** Answers `subscribe-whatsapp-contact` and `join-whatsapp-conversation`: null where the caller has no such contact. */
  'whatsapp-contact': z.object({
    phoneNumber: z.nullable(z.string()),
    conversationId: z.nullable(z.string()),
    contactId: z.nullable(id),
    windowExpiresAt: z.nullable(z.iso.datetime()),
  }),
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
