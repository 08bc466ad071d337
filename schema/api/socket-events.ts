import * as z from 'zod/mini'
import { parseJson } from '../helpers/json.ts'
import { id } from '../id.ts'
import { limits } from '../limits.ts'
import { messageStatuses, messageTypes } from '../message.ts'
import { timedSettings } from '../settings.ts'
import { groupAnswer, groupPart } from './groups.ts'

/** The subprotocol that both sides speak, and the one that carries the token (`bearer.<token>`). */
export const socketProtocol = 'petrel.v1'
/**
 * The second version: a device may follow its databases (`follow-changes`), and the server confirms
 * that the line is alive (`here`). The device offers both; the server's choice says which it
 * speaks.
 */
export const changesProtocol = 'petrel.v2'
export const bearerProtocolPrefix = 'bearer.'

/**
 * What a device may understand beyond the first version. It also offers `understands.<word>` as a
 * subprotocol: an older server ignores that, but closes a socket on an unknown event.
 * - `presence-changes`: after the first `users-online` the server sends only `presence-changed`
 * - `front`: the server asks with `front-wanted` whether its person looks at the device
 * - `settings`: the person's settings, as their other devices change them
 * - `blocks`: who the person blocks or unblocks on another device
 * - `pushes`: it may push documents over the line, once the server says `pushes-taken`
 * - `groups`: a group has changed, for its members
 * - `group-parts`: of the record of a large group what has changed
 */
export const socketWords = [
  'presence-changes',
  'front',
  'settings',
  'blocks',
  'pushes',
  'groups',
  'group-parts',
] as const
export type SocketWord = (typeof socketWords)[number]
export const understandsProtocolPrefix = 'understands.'

/** The offered words that this version knows. */
export function readSocketWords(offered: Iterable<string>): readonly SocketWord[] {
  const words = new Set(offered)
  return socketWords.filter((word) => words.has(word))
}

/** Our own close codes: RFC 6455 leaves 4000–4999 to applications. */
export const socketCloseCodes = {
  badFrame: 4400,
  signInEnded: 4401,
  /**
   * The person has more than `limits.socketsPerPersonMax` sockets: do not reconnect until they
   * return.
   */
  displaced: 4409,
  tooManyFrames: 4429,
} as const

/** Each code's words for a person; a close frame holds 123 bytes. */
export const socketCloseWords: Record<keyof typeof socketCloseCodes, string> = {
  badFrame: 'This frame cannot be read.',
  signInEnded: 'Please sign in again.',
  displaced: 'You have too many tabs or devices open. This one reconnects when you return to it.',
  tooManyFrames: 'Too many frames.',
}

/** A message in `send-message`; a bare string is its text. */
const outgoing = z.object({
  _id: z.optional(id),
  content: z.string().check(z.maxLength(limits.messageMaxCharacters)),
  type: z.optional(z.enum(messageTypes)),
  replyToMessageId: z.optional(id),
})

/** A person's replicated databases. */
const replicatedDatabase = z.enum(['messages', 'conversations'])
export type ReplicatedDatabase = z.infer<typeof replicatedDatabase>
/** A sequence in a database's history, as `_changes` reports it. */
const seq = z.union([z.int().check(z.gte(0)), z.string().check(z.maxLength(4_096))])

const phone = z.string().check(z.minLength(1), z.maxLength(100))
const conversationName = z.string().check(z.minLength(1), z.maxLength(300))

/** What a device may say, by event name. A frame is `{event, data}`. */
export const clientEvents = {
  /** The id is the client's claim; the server identifies it by the token. */
  'user-online': z.optional(z.string().check(z.maxLength(64))),
  /** `recipientId`: a person, or a group that the caller is in. */
  typing: z.object({ recipientId: id }),
  'stop-typing': z.object({ recipientId: id }),
  /**
   * The people that this device shows now, replacing its earlier list. Only servers that send
   * `presence-scope` know it.
   */
  'watch-people': z.object({ userIds: z.array(id).check(z.maxLength(limits.watchedPeopleMax)) }),
  /**
   * Where to start sending this device changes; sent again after each `changes-missed`. Without a
   * place the device wants no more.
   */
  'follow-changes': z.object({
    database: replicatedDatabase,
    since: z.optional(seq),
    /** The epoch of that sequence; undefined when unknown. */
    epoch: z.optional(z.string().check(z.maxLength(200))),
  }),
  /**
   * Like `POST /sync/<database>/_bulk_docs`, whose checks it passes: answered by `push-answered` with
   * the same id. Only servers that send `pushes-taken` know it, on lines of the second version.
   */
  'push-documents': z.object({
    id: z.int().check(z.gte(0)),
    database: z.string().check(z.maxLength(100)),
    docs: z.unknown(),
  }),
  /**
   * Does its person look at this device now? Sent to servers that asked with `front-wanted`, then at
   * each change.
   */
  front: z.boolean(),
  /** A reaction to a message that this person has; empty removes it. */
  'set-reaction': z.object({ messageId: id, emoji: z.string().check(z.maxLength(200)) }),
  'send-message': z.object({
    recipientId: id,
    message: z.union([z.string().check(z.maxLength(limits.messageMaxCharacters)), outgoing]),
  }),
  /**
   * Like `POST /webhooks/send`. The server answers with a `whatsapp-status-update` with the
   * `clientMessageId`.
   */
  'send-whatsapp-message': z.object({
    phoneNumber: phone,
    message: z.unknown(),
    type: z._default(z.string().check(z.maxLength(40)), 'text'),
    clientMessageId: z.optional(id),
  }),
  /**
   * The server answers each with `whatsapp-contact`. An operator's devices hear about all their
   * contacts, subscribed or not.
   */
  'subscribe-whatsapp-contact': z.object({ phoneNumber: phone }),
  'unsubscribe-whatsapp-contact': z.object({ phoneNumber: phone }),
  'join-whatsapp-conversation': z.object({ conversationId: conversationName }),
  'leave-whatsapp-conversation': z.object({ conversationId: conversationName }),
} as const

/** What the server says, by event name. */
export const serverEvents = {
  /** Who is online among the people this device may see: replaces everything sent before. */
  'users-online': z.array(id),
  /**
   * Whose presence the server sends, to devices with `presence-changes`: sent only when not
   * `everybody`.
   * `some`: too many are online; only chat partners and the people that the device watches.
   */
  'presence-scope': z.enum(['everybody', 'some']),
  /** Changes since then, to devices with `presence-changes`. */
  'presence-changed': z.object({ online: z.array(id), offline: z.array(id) }),
  /**
   * All changes in a followed database between two places, the newest version of each document. It
   * only speeds things up (P7): a device that is not at `from` asks `_changes`.
   */
  changes: z.object({
    database: replicatedDatabase,
    from: seq,
    to: seq,
    docs: z.array(z.looseObject({ _id: z.string(), _rev: z.string() })),
  }),
  /** The device missed changes: it asks `_changes`, and follows again from there. */
  'changes-missed': z.object({ database: replicatedDatabase }),
  /**
   * Sent at each ping: a device that hears nothing has lost the line, and one at another place than
   * this has lost a frame.
   */
  here: z.object({ messages: z.optional(seq), conversations: z.optional(seq) }),
  /** To devices with `pushes` on a line of the second version: they may send `push-documents`. */
  'pushes-taken': z.literal(true),
  /** What `POST /sync/<database>/_bulk_docs` would have answered. It may be lost (P7). */
  'push-answered': z.object({
    id: z.int(),
    status: z.int().check(z.gte(200), z.lte(599)),
    body: z.unknown(),
    /** Of that database; undefined when it was refused before that was known. */
    epoch: z.optional(z.string()),
    /** The server's clock, epoch ms. */
    now: z.int(),
    retryAfterSeconds: z.optional(z.number()),
  }),
  /** To devices that understand `front`: say so, now and at each change. Others are pushed to. */
  'front-wanted': z.literal(true),
  /**
   * A hint (P7), to devices with `settings`: settings that this person has changed on a device, with
   * their times. Each device also reads them when it connects.
   */
  'settings-changed': timedSettings,
  /**
   * A hint (P7), to devices with `blocks`: this person has blocked or unblocked somebody on a
   * device. Each device also reads the list when it connects.
   */
  'block-changed': z.object({ userId: id, blocked: z.boolean() }),
  /**
   * A hint (P7), to devices with `groups`: there is something new in this group, to be asked for at
   * `POST /sync/groups/_changes`. Also told to who has just left or was removed. With `changes` a
   * device that has all up to `from`, the number at the beginning of its place, needs not ask.
   */
  'group-changed': z.object({
    groupId: id,
    changes: z.optional(
      z.object({
        from: z.int().check(z.gte(0)),
        to: z.int().check(z.gte(0)),
        /** The record, if it changed. */
        group: z.optional(groupAnswer),
        /** In place of it, to devices with `group-parts`. */
        part: z.optional(groupPart),
        docs: z.array(z.looseObject({ _id: z.string() })),
      }),
    ),
  }),
  /** With `groupId`, which only devices with `groups` are sent: in that group, not to this person. */
  'user-typing': z.object({ userId: id, groupId: z.optional(id) }),
  'user-stop-typing': z.object({ userId: id, groupId: z.optional(id) }),
  /** A hint (P7): replication brings the same. `timestamp` is an ISO time. */
  'receive-message': z.object({
    messageId: id,
    senderId: id,
    recipientId: id,
    senderUsername: z.string(),
    content: z.string(),
    timestamp: z.iso.datetime(),
    type: z.enum(messageTypes),
    /** An earlier server does not say it. */
    isWhatsApp: z.optional(z.boolean()),
  }),
  /** The server refused a message from `send-message`; `code` and `error` say why. */
  'message-refused': z.object({ messageId: id, code: z.string(), error: z.string() }),
  /**
   * A hint (P7), with a fixed name (decision 61, section 7): a customer wrote. The same id again
   * brings its file.
   */
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
  /**
   * A hint: an own message's status changed. `messageId` is null for one refused before it was
   * stored.
   */
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
  /**
   * Answers `subscribe-whatsapp-contact` and `join-whatsapp-conversation`: null when the caller has
   * no such contact.
   */
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

/** Events that only devices with this word understand. */
export const wordsForEvents: Partial<Record<ServerEventName, SocketWord>> = {
  'settings-changed': 'settings',
  'block-changed': 'blocks',
  'group-changed': 'groups',
}

const frame = z.object({ event: z.string(), data: z.optional(z.unknown()) })

/** Parses a frame from a device; null if a device may not send it. */
export function parseClientFrame(text: string): ClientEvent | null {
  return readEvent(parseJson(text), clientEvents) as ClientEvent | null
}

/** Parses a frame from the server; null if this version does not know it. */
export function parseServerFrame(text: string): ServerEvent | null {
  return parseServerEvent(parseJson(text))
}

/** Parses an event from a poll; null if this version does not know it. */
export function parseServerEvent(value: unknown): ServerEvent | null {
  return readEvent(value, serverEvents) as ServerEvent | null
}

function readEvent(value: unknown, events: Record<string, z.ZodMiniType>) {
  const outer = frame.safeParse(value)
  if (!outer.success || !Object.hasOwn(events, outer.data.event)) return null
  const data = events[outer.data.event]?.safeParse(outer.data.data)
  return data?.success ? { event: outer.data.event, data: data.data } : null
}
