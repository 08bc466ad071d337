import * as z from 'zod/mini'
import { attachedFile } from './attached-file.ts'
import { sealedPart } from './encryption/sealed-part.ts'
import { id } from './id.ts'
import { limits } from './limits.ts'
import { linkPreview } from './link-preview.ts'
import { reactions } from './reaction.ts'

const ordinary: Record<MessageStatus, number> = {
  sending: 0,
  failed: 1,
  sent: 2,
  delivered: 3,
  read: 4,
}

/** A provider may fail a message after accepting it, and deliver it after failing it. */
const business: Record<MessageStatus, number> = {
  sending: 0,
  sent: 1,
  failed: 2,
  delivered: 3,
  read: 4,
}

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

/** Epoch milliseconds within a Date's range. */
export const epochMs = z.number().check(z.int(), z.gte(0), z.lte(8.64e15))

const statusEntry = z.object({ status: z.enum(messageStatuses), timestamp: epochMs })

/**
 * A change that the server refused, returned to its author inside the stored message.
 * `at`: the register time that the refusal wrote, epoch ms. `content`: the refused text, if any;
 * `sealed`: the same of an encrypted message.
 */
const refusedChange = z.object({
  at: epochMs,
  code: z.string().check(z.maxLength(100)),
  error: z.string().check(z.maxLength(2_000)),
  content: z.optional(z.string().check(z.maxLength(limits.messageMaxCharacters))),
  sealed: z.optional(sealedPart.check(z.maxLength(limits.sealedMaxCharacters))),
  isDismissed: z.optional(z.boolean()),
})
export type RefusedChange = z.infer<typeof refusedChange>

/**
 * What became of an outgoing message at the provider. `unknown`: the provider may have accepted it,
 * so it is not resent.
 */
const waStates = ['queued', 'accepted', 'held', 'unknown', 'refused'] as const

/**
 * The message's file, stated before and beside `mediaUrl`. `link`: the author's own address, for
 * WhatsApp to fetch.
 */
const businessMedia = z.object({
  state: z.optional(z.enum(['pending', 'ready', 'failed'])),
  link: z.optional(z.string().check(z.maxLength(2_048))),
  mimeType: z.optional(z.string().check(z.maxLength(200))),
  filename: z.optional(z.string().check(z.maxLength(240))),
  size: z.optional(z.number()),
})

/** The people named in a text after an @; each name as it stands there. */
export const mentions = z
  .array(
    z.object({
      userId: id,
      name: z.string().check(z.minLength(1), z.maxLength(limits.nameMaxLength)),
    }),
  )
  .check(z.maxLength(limits.mentionsMax))

/** Message content beyond text on a business channel, in the terms of decision 61, section 3. */
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
  /** How often the server has written the provider's report: the higher version wins. */
  providerVersion: z.optional(z.int().check(z.gte(0))),
  waState: z.optional(z.enum(waStates)),
  isSticker: z.optional(z.boolean()),
  isVoice: z.optional(z.boolean()),
  isForwarded: z.optional(z.boolean()),
  /** A notice from the provider, such as a changed number. */
  isSystem: z.optional(z.boolean()),
  /** The operator wrote it in another app. */
  sentFrom: z.optional(z.literal('whatsapp_app')),
}

const businessFields = { ...payloadFields, ...providerFields }

/**
 * One person's own copy of a message. All times are epoch ms.
 *
 * `peerId` is the other person, from the owner's view. `createdAt` is the writing time by the
 * author's clock, corrected to the server's; the server sets `orderedAt`, the place in the
 * conversation, on acceptance. `status` is read within one `attempt`: a manual retry raises it.
 * `file` describes what lies at `mediaUrl`; until its author's device uploads it, there is only
 * `file`.
 * `link` describes the page behind an address in `content`; an encrypted message has none.
 * `sealed` has what the author wrote in an encrypted message: then `content` is empty, `file`
 * says nothing but a size, and `mentions` is absent.
 * `mentionedIds`: the server tells them of a group's new message though they muted it (decision 102).
 * A deleted message keeps its place and loses its content; `_deleted` is never used. A hidden one
 * keeps both, and its owner's screens and answers leave it out.
 */
export const messageDocument = z.object({
  _id: id,
  peerId: id,
  senderId: id,
  recipientId: id,
  type: z._default(z.enum(messageTypes), 'text'),
  content: z._default(z.string(), ''),
  sealed: z.optional(sealedPart),
  mentions: z.optional(mentions),
  mentionedIds: z.optional(z.array(id).check(z.maxLength(limits.mentionsMax))),
  createdAt: epochMs,
  orderedAt: epochMs,
  status: z._default(z.enum(messageStatuses), 'sending'),
  attempt: z._default(z.number().check(z.int(), z.gte(1), z.lte(1_000_000)), 1),
  statusHistory: z._default(z.array(statusEntry).check(z.maxLength(1_000)), []),
  editedAt: z.optional(epochMs),
  deletedAt: z.optional(epochMs),
  isStarred: z._default(z.boolean(), false),
  isStarredAt: z._default(epochMs, 0),
  isHidden: z.optional(z.boolean()),
  isHiddenAt: z.optional(epochMs),
  reactions: z.optional(reactions),
  replyTo: z.optional(id),
  mediaUrl: z.optional(z.string().check(z.maxLength(2_048))),
  file: z.optional(attachedFile),
  link: z.optional(linkPreview),
  error: z.optional(z.string().check(z.maxLength(2_000))),
  errorCode: z.optional(z.string().check(z.maxLength(100))),
  refused: z.optional(refusedChange),
  ...businessFields,
})
export type MessageDocument = z.infer<typeof messageDocument>

/** The message without business-channel fields: between people here they do not count. */
export function withoutBusinessFields(message: MessageDocument): MessageDocument {
  return without(message, Object.keys(businessFields))
}

/** The message without server-only fields: a device's claims there do not count. */
export function withoutProviderFields(message: MessageDocument): MessageDocument {
  return without(message, Object.keys(providerFields))
}

/** Does it say something besides its text? */
export function hasPayload(message: MessageDocument): boolean {
  const { interactive, location, contacts, template, media } = message
  const said = [interactive, location, contacts, template, media?.link, message.mediaUrl]
  return said.some((one) => one !== undefined && one !== null)
}

function without(message: MessageDocument, fields: readonly string[]): MessageDocument {
  const kept = Object.entries(message).filter(([field]) => !fields.includes(field))
  return Object.fromEntries(kept) as MessageDocument
}

/** The fields replicated between device and server; any others in a record belong to the store. */
export const messageFields = Object.keys(messageDocument.shape) as (keyof MessageDocument)[]

/** Has the server ever accepted this message? Until then only its author can see it. */
export function isAccepted(message: Pick<MessageDocument, 'status'>): boolean {
  return message.status !== 'sending' && message.status !== 'failed'
}

/** Did somebody else write it, from the view of the person whose copy this is? */
export function isIncoming(
  { senderId }: Pick<MessageDocument, 'senderId'>,
  ownerId: string,
): boolean {
  return senderId !== ownerId
}

/** Does it announce a file without an address? Only its author's device has that file. */
export function isUploadOwed(message: Pick<MessageDocument, 'file' | 'mediaUrl'>): boolean {
  return message.file !== undefined && message.mediaUrl === undefined
}

/** A picture that is drawn without a bubble. One made here says so in its file, which is sealed in an encrypted chat; a customer's beside it. */
export function isSticker({
  type,
  isSticker,
  file,
}: Pick<MessageDocument, 'type' | 'isSticker' | 'file'>): boolean {
  return type === 'image' && (isSticker ?? file?.isSticker ?? false)
}

/** Deleted before it was ever sent: shown nowhere. */
export function isDiscarded(message: Pick<MessageDocument, 'status' | 'deletedAt'>): boolean {
  return message.deletedAt !== undefined && !isAccepted(message)
}

/** Does its text differ from the first sent text? A refused change does not count. */
export function isEdited(
  message: Pick<MessageDocument, 'editedAt' | 'deletedAt' | 'refused'>,
): boolean {
  return (
    message.editedAt !== undefined &&
    message.deletedAt === undefined &&
    message.editedAt !== message.refused?.at
  )
}

/**
 * The time of a message for a person, epoch ms. A pending message's place is right after the last
 * one seen, so the time of writing counts.
 */
export function placeInTime(message: MessageDocument): number {
  return isAccepted(message) ? message.orderedAt : Math.max(message.createdAt, message.orderedAt)
}

/** A status's rank within one attempt: a higher rank replaces a lower one, never the reverse. */
export function statusRank(message: Pick<MessageDocument, 'status' | 'isWhatsApp'>): number {
  return (message.isWhatsApp ? business : ordinary)[message.status]
}

/**
 * A span that a backup lacks (epoch ms, above `after`, up to and including `upTo`): the backup's
 * newest message is at `after`, the restore happened at `upTo`. The server acknowledged what
 * devices hold from that span once, and accepts it again.
 */
export interface LostSpan {
  after: number
  upTo: number
}

/** Did a server that has since forgotten it acknowledge a message at this place (`orderedAt`)? */
export function isInLostSpan(spans: readonly LostSpan[], orderedAt: number): boolean {
  return spans.some(({ after, upTo }) => orderedAt > after && orderedAt <= upTo)
}
