import * as z from 'zod/mini'
import { areFieldsEqual } from './helpers/equality.ts'
import { canonicalJson } from './helpers/json.ts'
import { id } from './id.ts'
import { epochMs } from './message.ts'
import { mergePeerMarks, peerMarkFields } from './peer-marks.ts'

/**
 * What a conversation is with. `business`: a customer on the business channel, who has no account
 * here. Named once: a group is no person, and nothing that is meant for one may reach it.
 */
type ConversationKind = 'person' | 'group' | 'business'

/** The record of whoever a conversation is with, as far as it says what that is. */
export type KindRecord =
  | { isGroup: true }
  | { isGroup?: undefined; isWhatsAppContact?: boolean | undefined }

/** The one question, for records of people and of groups. One without a record counts as a person. */
export function kindOf(peer: KindRecord | undefined): ConversationKind {
  if (peer?.isGroup) return 'group'
  return peer?.isWhatsAppContact ? 'business' : 'person'
}

/** A contact on a business channel, as its webhooks name them. */
const businessContact = z.object({
  profile: z.object({ name: z.string(), username: z.optional(z.string()) }),
  wa_id: z.optional(z.string()),
  user_id: z.optional(z.string()),
})

/**
 * What a business channel says about a conversation. Only the server writes it, as one unit, at
 * `whatsAppAt`.
 */
const channelFields = {
  whatsapp_conversation_id: z.optional(z.string()),
  phone_number_id: z.optional(z.string()),
  display_phone_number: z.optional(z.string()),
  contacts: z.optional(z.array(businessContact)),
  whatsAppAt: z.optional(epochMs),
}

/**
 * Of one conversation so many stars are kept, with those that were taken away, and as many hidden
 * messages, with those that were brought back; the latest.
 */
const ofMessagesMax = 1_000

/**
 * A person's stars in a group, by message: the group's own copy is everybody's, and has nobody's.
 * Between two people each copy has its own.
 */
const groupStars = z.record(id, z.object({ isStarred: z.boolean(), at: epochMs }))
export type GroupStars = z.infer<typeof groupStars>

/** What a person hid from themselves in a group, by message: likewise. */
const groupHidden = z.record(id, z.object({ isHidden: z.boolean(), at: epochMs }))
export type GroupHidden = z.infer<typeof groupHidden>

const lastMessage = z.object({ _id: id, orderedAt: epochMs })

/**
 * One person's view of a conversation; `_id` is the other person's id.
 *
 * Flags are registers (`conversationFlags`), each with the epoch ms of its last change. The marks
 * are `orderedAt` values and only rise: unread is counted from `readUpTo`, `clearedUpTo` hides
 * everything older.
 * `lastMessage` is the newest message at the last write; a new message alone does not cause a
 * write. A device finds the newest among its messages, the server in its journal.
 */
export const conversationDocument = z.object({
  _id: id,
  isPinned: z._default(z.boolean(), false),
  isPinnedAt: z._default(epochMs, 0),
  isArchived: z._default(z.boolean(), false),
  isArchivedAt: z._default(epochMs, 0),
  isMuted: z._default(z.boolean(), false),
  isMutedAt: z._default(epochMs, 0),
  /** When the muting ends, epoch ms: part of `isMuted`, at the same time. See `isMutedAt()`. */
  mutedUntil: z.optional(epochMs),
  deliveredUpTo: z._default(epochMs, 0),
  readUpTo: z._default(epochMs, 0),
  clearedUpTo: z._default(epochMs, 0),
  ...peerMarkFields,
  ...channelFields,
  stars: z.optional(groupStars),
  hidden: z.optional(groupHidden),
  lastMessage: z.optional(lastMessage),
  lastMessageAt: z._default(epochMs, 0),
})
export type ConversationDocument = z.infer<typeof conversationDocument>

/** Each has its time beside it, as `isPinned` has `isPinnedAt`. */
const conversationFlags = ['isPinned', 'isArchived', 'isMuted'] as const
export type ConversationFlag = (typeof conversationFlags)[number]
type FlagTime = `${ConversationFlag}At`
const flags = conversationFlags.map((flag) => ({ flag, at: `${flag}At` as const }))

export const conversationFields = Object.keys(
  conversationDocument.shape,
) as (keyof ConversationDocument)[]

/** An empty conversation. */
export function newConversation(peerId: string): ConversationDocument {
  return conversationDocument.parse({ _id: peerId })
}

/** Merges two versions of one conversation (P5): every part is a maximum under a total order. */
export function mergeConversations(
  a: ConversationDocument,
  b: ConversationDocument,
): ConversationDocument {
  const lastMessage = laterMessage(a.lastMessage, b.lastMessage)
  const readUpTo = Math.max(a.readUpTo, b.readUpTo)
  return {
    _id: a._id,
    ...laterFlags(a, b),
    // A read message has also arrived.
    deliveredUpTo: Math.max(a.deliveredUpTo, b.deliveredUpTo, readUpTo),
    readUpTo,
    clearedUpTo: Math.max(a.clearedUpTo, b.clearedUpTo),
    ...mergePeerMarks(a, b),
    ...laterChannel(a, b),
    ...laterOfMessages(a, b),
    ...(lastMessage ? { lastMessage } : {}),
    lastMessageAt: Math.max(a.lastMessageAt, b.lastMessageAt),
  }
}

/** Are two versions equal in every replicated field? */
export function areConversationsEqual(
  a: Partial<ConversationDocument>,
  b: Partial<ConversationDocument>,
): boolean {
  return areFieldsEqual(conversationFields, a, b)
}

type Channel = Pick<ConversationDocument, keyof typeof channelFields>

/** Only the fields that a business channel writes. */
export function channelOf(conversation: ConversationDocument): Channel {
  const fields = Object.keys(channelFields) as (keyof Channel)[]
  const said = fields.flatMap((field) =>
    conversation[field] === undefined ? [] : [[field, conversation[field]]],
  )
  return Object.fromEntries(said) as Channel
}

/** The conversation without those fields. */
export function withoutChannel(conversation: ConversationDocument): ConversationDocument {
  const kept = Object.entries(conversation).filter(([field]) => !(field in channelFields))
  return Object.fromEntries(kept) as ConversationDocument
}

function laterChannel(a: ConversationDocument, b: ConversationDocument): Channel {
  const [ofA, ofB] = [channelOf(a), channelOf(b)]
  const [atA, atB] = [ofA.whatsAppAt ?? -1, ofB.whatsAppAt ?? -1]
  if (atA !== atB) return atA > atB ? ofA : ofB
  return canonicalJson(ofA) >= canonicalJson(ofB) ? ofA : ofB
}

type Flags = Pick<ConversationDocument, ConversationFlag | FlagTime | 'mutedUntil'>

function laterFlags(a: ConversationDocument, b: ConversationDocument): Flags {
  const merged: Partial<Record<ConversationFlag | FlagTime, boolean | number>> = {}
  for (const { flag, at } of flags) {
    const isALater = a[at] !== b[at] ? a[at] > b[at] : a[flag]
    const later = isALater ? a : b
    merged[flag] = later[flag]
    merged[at] = later[at]
  }
  const mutedUntil = laterMutedUntil(a, b)
  return { ...(merged as Flags), ...(mutedUntil !== undefined && { mutedUntil }) }
}

/**
 * Goes with `isMuted`. At equal times the later end wins, and any end wins over none: an older app
 * drops the field when it pushes.
 */
function laterMutedUntil(a: ConversationDocument, b: ConversationDocument): number | undefined {
  if (a.isMutedAt !== b.isMutedAt) return (a.isMutedAt > b.isMutedAt ? a : b).mutedUntil
  if (a.isMuted !== b.isMuted) return (a.isMuted ? a : b).mutedUntil
  const [ofA, ofB] = [a.mutedUntil, b.mutedUntil]
  return ofA === undefined || ofB === undefined ? (ofA ?? ofB) : Math.max(ofA, ofB)
}

/** Of each message the later star, and the later hiding; at equal times being set counts more. */
function laterOfMessages(
  a: ConversationDocument,
  b: ConversationDocument,
): Pick<ConversationDocument, 'stars' | 'hidden'> {
  const stars = laterOf(a.stars, b.stars, (star) => star.isStarred)
  const hidden = laterOf(a.hidden, b.hidden, (hiding) => hiding.isHidden)
  return { ...(stars && { stars }), ...(hidden && { hidden }) }
}

function laterOf<Register extends { at: number }>(
  a: Record<string, Register> | undefined,
  b: Record<string, Register> | undefined,
  isSet: (register: Register) => boolean,
): Record<string, Register> | undefined {
  if (!a && !b) return undefined
  const merged = new Map(Object.entries(a ?? {}))
  for (const [messageId, one] of Object.entries(b ?? {})) {
    const other = merged.get(messageId)
    const isLater =
      !other || one.at > other.at || (one.at === other.at && isSet(one) && !isSet(other))
    if (isLater) merged.set(messageId, one)
  }
  const latest = [...merged].toSorted(
    ([idA, oneA], [idB, oneB]) => oneB.at - oneA.at || (idA < idB ? -1 : 1),
  )
  return Object.fromEntries(latest.slice(0, ofMessagesMax))
}

/** The times of all flags, stars and hidings, none of them ahead of `now`, epoch ms. */
export function clampFlagTimes(
  conversation: ConversationDocument,
  now: number,
): Pick<ConversationDocument, FlagTime | 'stars' | 'hidden'> {
  const times = flags.map(({ at }) => [at, Math.min(conversation[at], now)])
  const { stars, hidden } = conversation
  return {
    ...(Object.fromEntries(times) as Pick<ConversationDocument, FlagTime>),
    ...(stars && { stars: clampTimes(stars, now) }),
    ...(hidden && { hidden: clampTimes(hidden, now) }),
  }
}

function clampTimes<Register extends { at: number }>(
  registers: Record<string, Register>,
  now: number,
): Record<string, Register> {
  const clamped = Object.entries(registers).map(([messageId, register]) => [
    messageId,
    { ...register, at: Math.min(register.at, now) },
  ])
  return Object.fromEntries(clamped)
}

type LastMessage = NonNullable<ConversationDocument['lastMessage']>

function laterMessage(a: LastMessage | undefined, b: LastMessage | undefined) {
  if (!a || !b) return a ?? b
  if (a.orderedAt !== b.orderedAt) return a.orderedAt > b.orderedAt ? a : b
  return a._id >= b._id ? a : b
}

/** Is the conversation muted at this time, epoch ms? Without `mutedUntil` it is muted for good. */
export function isMutedAt(
  { isMuted, mutedUntil }: Pick<ConversationDocument, 'isMuted' | 'mutedUntil'>,
  now: number,
): boolean {
  return isMuted && (mutedUntil === undefined || now < mutedUntil)
}
