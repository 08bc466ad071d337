import * as z from 'zod/mini'
import { attachedFile } from './attached-file.ts'
import { id } from './id.ts'
import { limits } from './limits.ts'
import { reactions } from './reaction.ts'

export const messageTypes = [
  'text',
  'template',
  'interactive',
  'image',
  'video',
  'audio',
  'document',
] as const
export type MessageType = (typeof messageTypes)[number]

export const messageStatuses = ['sending', 'failed', 'sent', 'delivered', 'read'] as const
export type MessageStatus = (typeof messageStatuses)[number]

/** Epoch milliseconds within what a Date can hold. */
export const epochMs = z.number().check(z.int(), z.gte(0), z.lte(8.64e15))

const statusEntry = z.object({ status: z.enum(messageStatuses), timestamp: epochMs })

/**
 * A change that the server did not take, given back to its author inside the stored message.
 * `at`: the register time that the refusal wrote, epoch ms. `content`: the refused text, if it was one.
 */
const refusedChange = z.object({
  at: epochMs,
  code: z.string().check(z.maxLength(100)),
  error: z.string().check(z.maxLength(2_000)),
  content: z.optional(z.string().check(z.maxLength(limits.messageMaxCharacters))),
  isDismissed: z.optional(z.boolean()),
})
export type RefusedChange = z.infer<typeof refusedChange>

/** What became of an outgoing message at the provider. `unknown`: it may have been taken, and is not sent again. */
const waStates = ['queued', 'accepted', 'held', 'unknown', 'refused'] as const

/** The file of a message before, and beside, `mediaUrl`. `link`: an address of the author's, for WhatsApp to fetch. */
const businessMedia = z.object({
  state: z.optional(z.enum(['pending', 'ready', 'failed'])),
  link: z.optional(z.string().check(z.maxLength(2_048))),
  mimeType: z.optional(z.string().check(z.maxLength(200))),
  filename: z.optional(z.string().check(z.maxLength(240))),
  size: z.optional(z.number()),
})

/** What an author says to somebody on a business channel beyond a text, in the words of the specification. */
const payloadFields = {
  interactive: z.optional(z.json()),
  location: z.optional(z.json()),
  contacts: z.optional(z.json()),
  template: z.optional(z.json()),
  media: z.optional(businessMedia),
}

/** What a business provider adds to a message. Only the server writes these. */
const providerFields = {
  isWhatsApp: z.optional(z.boolean()),
  whatsapp_message_id: z.optional(z.string()),
  whatsapp_timestamp: z.optional(z.string()),
  from_phone: z.optional(z.string()),
  to_phone: z.optional(z.string()),
  senderName: z.optional(z.string()),
  button: z.optional(z.json()),
  list_reply: z.optional(z.json()),
  /** How often the server has written what the provider says: of two versions the higher one counts. */
  providerVersion: z.optional(z.int().check(z.gte(0))),
  waState: z.optional(z.enum(waStates)),
  isSticker: z.optional(z.boolean()),
  isVoice: z.optional(z.boolean()),
  isForwarded: z.optional(z.boolean()),
  /** A notice from the provider, such as a new number. */
  isSystem: z.optional(z.boolean()),
  /** The operator wrote it elsewhere. */
  sentFrom: z.optional(z.literal('whatsapp_app')),
}

const businessFields = { ...payloadFields, ...providerFields }

/**
 * One person's own copy of a message. All times are epoch ms.
 *
 * `peerId` is the other person, from this copy's owner's view. `createdAt` is when it was written, by the
 * author's clock corrected to the server's; `orderedAt` is its place in the conversation, set by the server
 * at acceptance. `status` is read within one `attempt`: a retry by the person raises the attempt.
 * `file` says what lies at `mediaUrl`; until its author's device has uploaded it, a message has the one without the other.
 * A deleted message keeps its place and loses all it said; `_deleted` is never used.
 */
export const messageDocument = z.object({
  _id: id,
  peerId: id,
  senderId: id,
  recipientId: id,
  type: z._default(z.enum(messageTypes), 'text'),
  content: z._default(z.string(), ''),
  createdAt: epochMs,
  orderedAt: epochMs,
  status: z._default(z.enum(messageStatuses), 'sending'),
  attempt: z._default(z.number().check(z.int(), z.gte(1), z.lte(1_000_000)), 1),
  statusHistory: z._default(z.array(statusEntry).check(z.maxLength(1_000)), []),
  editedAt: z.optional(epochMs),
  deletedAt: z.optional(epochMs),
  isStarred: z._default(z.boolean(), false),
  isStarredAt: z._default(epochMs, 0),
  reactions: z.optional(reactions),
  replyTo: z.optional(id),
  mediaUrl: z.optional(z.string().check(z.maxLength(2_048))),
  file: z.optional(attachedFile),
  error: z.optional(z.string().check(z.maxLength(2_000))),
  errorCode: z.optional(z.string().check(z.maxLength(100))),
  refused: z.optional(refusedChange),
  ...businessFields,
})
export type MessageDocument = z.infer<typeof messageDocument>

/** The message without what belongs to a business channel: between people here it does not count. */
export function withoutBusinessFields(message: MessageDocument): MessageDocument {
  return without(message, Object.keys(businessFields))
}

/** The message without what only the server may write: what a device claims there does not count. */
export function withoutProviderFields(message: MessageDocument): MessageDocument {
  return without(message, Object.keys(providerFields))
}

/** Does it say something beside its text? */
export function hasPayload(message: MessageDocument): boolean {
  const { interactive, location, contacts, template, media } = message
  const said = [interactive, location, contacts, template, media?.link, message.mediaUrl]
  return said.some((one) => one !== undefined && one !== null)
}

function without(message: MessageDocument, fields: readonly string[]): MessageDocument {
  const kept = Object.entries(message).filter(([field]) => !fields.includes(field))
  return Object.fromEntries(kept) as MessageDocument
}

/** The fields that travel between device and server; anything else in a record is the store's own. */
export const messageFields = Object.keys(messageDocument.shape) as (keyof MessageDocument)[]

/** Has the server ever taken this message? Until then nobody but its author can see it. */
export function isAccepted(message: Pick<MessageDocument, 'status'>): boolean {
  return message.status !== 'sending' && message.status !== 'failed'
}

/** Does it say that it has a file, and not where? Only its author's device has that file. */
export function isUploadOwed(message: Pick<MessageDocument, 'file' | 'mediaUrl'>): boolean {
  return message.file !== undefined && message.mediaUrl === undefined
}

/** Deleted before it was ever sent: it is shown nowhere. */
export function isDiscarded(message: Pick<MessageDocument, 'status' | 'deletedAt'>): boolean {
  return message.deletedAt !== undefined && !isAccepted(message)
}

/** Does its text differ from what was first sent? A refused change does not count. */
export function isEdited(
  message: Pick<MessageDocument, 'editedAt' | 'deletedAt' | 'refused'>,
): boolean {
  return (
    message.editedAt !== undefined &&
    message.deletedAt === undefined &&
    message.editedAt !== message.refused?.at
  )
}

/** Takes out of a deleted message everything that it said (P6, P8): deleted words stay nowhere. */
export function blankDeleted(message: MessageDocument): MessageDocument {
  if (message.deletedAt === undefined) return message
  const { _id, peerId, senderId, recipientId, type, createdAt, orderedAt, deletedAt } = message
  const { status, attempt, statusHistory, isStarredAt } = message
  return {
    _id,
    peerId,
    senderId,
    recipientId,
    type,
    createdAt,
    orderedAt,
    deletedAt,
    status,
    attempt,
    statusHistory,
    isStarredAt,
    ...(message.isWhatsApp === undefined ? {} : { isWhatsApp: message.isWhatsApp }),
    ...(message.providerVersion === undefined ? {} : { providerVersion: message.providerVersion }),
    ...(message.refused === undefined ? {} : { refused: message.refused }),
    content: '',
    isStarred: false,
  }
}
