import { canonicalJson } from './helpers/json.ts'
import { isBlank } from './helpers/text.ts'
import { limits } from './limits.ts'
import { mergeMessages } from './merge-messages.ts'
import { isAccepted, type MessageDocument, type RefusedChange, statusRank } from './message.ts'
import {
  authorRegisters,
  jointRegisters,
  ownRegisters,
  type Register,
  type RegisterName,
  registers,
} from './message-registers.ts'
import { isLaterReaction, isReactionAllowed, type Reaction, type Reactions } from './reaction.ts'
import { type Refusal, refuse } from './refusal.ts'

/** Their changes have words of their own, and come back with them when they are refused. */
const textNames: readonly RegisterName[] = ['content', 'sealed', 'mentions']
const wordless = authorRegisters.filter(({ field }) => !textNames.includes(field))
const entries = jointRegisters.filter(({ merge }) => merge === 'latestOfEach')
const values = jointRegisters.filter(({ merge }) => merge !== 'latestOfEach')
const timeFields = ['createdAt' as const, ...registers.flatMap(({ at }) => at ?? [])]

interface Change {
  actorId: string
  stored: MessageDocument
  proposed: MessageDocument
}

export interface PermittedChange {
  /** The stored version with every permitted change, and a note of what was refused. */
  next: MessageDocument
  refusal?: Refusal
  /** The person retries a refused message: the rule treats it as a new one. */
  isRetry: boolean
}

/**
 * What a proposal may change in a stored message (P4): each register whoever its row names, and the
 * author also the retry of a refused one. A device applies the same function to the server's
 * version, so both sides agree and no push repeats for ever.
 *
 * `now`: the server's time in epoch ms; times from a device are clamped to it.
 */
export function permitMessageChange(change: {
  actorId: string
  stored: MessageDocument
  proposed: MessageDocument
  now: number
}): PermittedChange {
  const { actorId, stored, now } = change
  const proposed = clampRefused(clampTimes(change.proposed, now), { stored, now })
  const isAuthor = stored.senderId === actorId
  const isRetry =
    isAuthor &&
    stored.status === 'failed' &&
    stored.deletedAt === undefined &&
    proposed.deletedAt === undefined &&
    proposed.status === 'sending' &&
    proposed.attempt > stored.attempt
  const refusal = findRefusal({ actorId, stored, proposed, isAuthor, isRetry })
  const allowed = restrict({ actorId, stored, proposed, isAuthor, isRetry, refusal })
  const merged = mergeMessages(stored, allowed)
  return {
    next: refusal ? recordRefusal({ actorId, merged, stored, proposed, refusal }) : merged,
    refusal,
    isRetry,
  }
}

function findRefusal(
  change: Change & { isAuthor: boolean; isRetry: boolean },
): Refusal | undefined {
  const { stored, proposed, isAuthor, isRetry } = change
  if (
    proposed.senderId !== stored.senderId ||
    proposed.recipientId !== stored.recipientId ||
    proposed.peerId !== stored.peerId
  ) {
    return refuse('foreign_id')
  }
  if (isTextChange(stored, proposed)) {
    if (!isAuthor) return refuse('not_author')
    if (stored.deletedAt !== undefined) return refuse('deleted')
    // A message that has reached a phone outside this app cannot be changed there.
    if (stored.isWhatsApp && isAccepted(stored)) return refuse('not_editable')
    const refusedText = refuseText(proposed)
    if (refusedText && proposed.deletedAt === undefined) return refusedText
  }
  if (!isAuthor && wordless.some((register) => isNews(register, change))) {
    return refuse('not_author')
  }
  const isAhead =
    proposed.attempt > stored.attempt ||
    (proposed.attempt === stored.attempt && statusRank(proposed) > statusRank(stored))
  if (isAhead && !isRetry && proposed.deletedAt === undefined && stored.deletedAt === undefined) {
    return refuse('forged_status')
  }
  const isBadEntry = entries.some((register) => {
    const entry = findNewEntry(register, change)
    return entry !== undefined && !isReactionAllowed(entry)
  })
  return isBadEntry ? refuse('bad_reaction') : undefined
}

/** May both people change what they share of it? */
function isJoint(stored: MessageDocument): boolean {
  // On a business channel only the provider reports reactions: one from here would not arrive.
  return isAccepted(stored) && stored.deletedAt === undefined && !stored.isWhatsApp
}

/** The actor's own entry that the proposal adds or removes, applied to what both people hold. */
function findNewEntry(
  { field }: Register,
  { actorId, stored, proposed }: Change,
): Reaction | undefined {
  const entry = entriesOf(proposed, field)?.[actorId]
  if (!entry || !isJoint(stored)) return undefined
  const before = entriesOf(stored, field)?.[actorId]
  return before && !isLaterReaction(entry, before) ? undefined : entry
}

function entriesOf(message: MessageDocument, field: RegisterName): Reactions | undefined {
  return message[field] as Reactions | undefined
}

/** Does the proposal change a register at a later time, or set what is set once? */
function isNews({ field, at, merge }: Register, { stored, proposed }: Change): boolean {
  if (merge === 'earliest') return proposed[field] !== undefined && stored[field] === undefined
  if (at === undefined || proposed[field] === stored[field]) return false
  return (proposed[at] ?? -1) > (stored[at] ?? -1)
}

/** Why this text is not allowed in a message; undefined when it is. */
export function refuseText(
  message: Pick<MessageDocument, 'content' | 'sealed' | 'mediaUrl' | 'file'>,
): Refusal | undefined {
  const { sealed = '' } = message
  if (sealed.length > limits.sealedMaxCharacters) return refuse('too_long')
  if (message.content.length > limits.messageMaxCharacters) return refuse('too_long')
  const hasFile = message.mediaUrl !== undefined || message.file !== undefined
  if (isBlank(message.content) && sealed === '' && !hasFile) return refuse('empty')
  return undefined
}

/** Would the merge take the proposed text, or has a deletion already refused it? */
function isTextChange(stored: MessageDocument, proposed: MessageDocument): boolean {
  const { editedAt, content } = proposed
  if (proposed.deletedAt !== undefined || editedAt === undefined) return false
  const storedAt = stored.editedAt ?? -1
  if (stored.deletedAt !== undefined) {
    return editedAt > Math.max(storedAt, stored.refused?.at ?? -1)
  }
  if (editedAt < storedAt) return false
  const [sealed, storedSealed] = [proposed.sealed ?? '', stored.sealed ?? '']
  const [named, storedNamed] = [listNamed(proposed), listNamed(stored)]
  return editedAt === storedAt
    ? content > stored.content || sealed > storedSealed || named > storedNamed
    : content !== stored.content || sealed !== storedSealed || named !== storedNamed
}

/** As two versions are compared when they merge. */
function listNamed({ mentions }: MessageDocument): string {
  return mentions ? canonicalJson(mentions) : ''
}

/** The proposal with everything that the actor may not change reset to the stored version. */
function restrict(
  change: Change & { isAuthor: boolean; isRetry: boolean; refusal: Refusal | undefined },
): MessageDocument {
  const { stored, proposed, isAuthor, isRetry, refusal } = change
  const own = takeOver(ownRegisters, proposed, stored)
  if (refusal) return own
  const joint = isJoint(stored) ? takeOver(values, proposed, own) : own
  const both = entries.reduce((before, register) => {
    const entry = findNewEntry(register, change)
    return entry ? withEntry(before, { register, change, entry }) : before
  }, joint)
  if (!isAuthor) return both
  return takeOver(authorRegisters, proposed, isRetry ? sendAgain(both, proposed) : both)
}

/** The message with these registers as proposed, where the proposal has any. */
function takeOver(
  some: readonly Register[],
  proposed: MessageDocument,
  message: MessageDocument,
): MessageDocument {
  const taken: Record<string, unknown> = { ...message }
  for (const { field, at, fields } of some) {
    if (proposed[at ?? field] === undefined) continue
    for (const each of fields) taken[each] = proposed[each]
  }
  return taken as MessageDocument
}

function withEntry(
  message: MessageDocument,
  { register, change, entry }: { register: Register; change: Change; entry: Reaction },
): MessageDocument {
  const { field } = register
  const before = entriesOf(message, field)
  return { ...message, [field]: { ...before, [change.actorId]: entry } }
}

function sendAgain(message: MessageDocument, proposed: MessageDocument): MessageDocument {
  const { error, errorCode, ...rest } = message
  const { attempt, type, mediaUrl, file } = proposed
  const again = { ...rest, attempt, status: 'sending' as const }
  if (file === undefined) return again
  // The server may have lost the file since: its author uploads it again, to another address.
  const { mediaUrl: former, ...others } = again
  return { ...others, type, file, ...(mediaUrl !== undefined && { mediaUrl }) }
}

/** The stored version for a permitted change that failed, with the refused text and the reason. */
export function refuseChange(change: Change & { refusal: Refusal }): MessageDocument {
  return recordRefusal({ ...change, merged: change.stored })
}

/**
 * A refusal is a newer version too: the stored content gets a later time and carries the refused
 * text.
 */
function recordRefusal(
  change: Change & { merged: MessageDocument; refusal: Refusal },
): MessageDocument {
  const { stored, proposed, refusal } = change
  const merged = keepJoint(change)
  const isText = isTextChange(stored, proposed)
  if (!isText && stored.refused?.code === refusal.code) return merged
  const at = Math.max(proposed.editedAt ?? 0, stored.editedAt ?? 0, stored.refused?.at ?? 0) + 1
  return {
    ...merged,
    ...(isText && merged.deletedAt === undefined ? { editedAt: at } : {}),
    refused: { at, ...refusal, ...(isText ? refusedWords(proposed) : {}) },
  }
}

/** What is sealed cannot be cut: beyond every limit only its author's device has it. */
function refusedWords({
  content,
  sealed,
}: MessageDocument): Pick<RefusedChange, 'content' | 'sealed'> {
  const isKept = sealed !== undefined && sealed.length <= limits.sealedMaxCharacters
  return { content: cutText(content), ...(isKept && { sealed }) }
}

/** What was refused must not win over the stored value when the device merges them. */
function keepJoint(change: Change & { merged: MessageDocument }): MessageDocument {
  const { actorId, merged, stored, proposed } = change
  if (merged.deletedAt !== undefined || !isJoint(stored)) return merged
  const kept = entries.reduce((before, register) => {
    const refused = findNewEntry(register, change)
    if (!refused) return before
    const held = entriesOf(stored, register.field)?.[actorId] ?? { emoji: '' }
    return withEntry(before, { register, change, entry: { ...held, at: refused.at + 1 } })
  }, merged)
  const times = values.flatMap((register) => {
    const { at } = register
    return at && isNews(register, change) ? [[at, (proposed[at] ?? 0) + 1]] : []
  })
  return { ...kept, ...Object.fromEntries(times) }
}

/** The actor's own entries in what both people change, except those that no rule accepts. */
export function pickEntries(message: MessageDocument, actorId: string): Partial<MessageDocument> {
  const own = entries.flatMap(({ field }) => {
    const entry = entriesOf(message, field)?.[actorId]
    return entry && isReactionAllowed(entry) ? [[field, { [actorId]: entry }]] : []
  })
  return Object.fromEntries(own)
}

/** The message with no time ahead of `now`, epoch ms: a fast clock must not win for hours. */
export function clampTimes(message: MessageDocument, now: number): MessageDocument {
  const clamped: MessageDocument = { ...message }
  for (const field of timeFields) {
    const time = message[field]
    if (time !== undefined && time > now) clamped[field] = now
  }
  for (const { field, merge } of registers) {
    const held = merge === 'latestOfEach' ? entriesOf(message, field) : undefined
    if (held !== undefined) Object.assign(clamped, { [field]: clampEntries(held, now) })
  }
  return clamped
}

/** A device keeps and dismisses refusals; none may lie ahead, where it would outlast every later one. */
function clampRefused(
  proposed: MessageDocument,
  { stored, now }: { stored: MessageDocument; now: number },
): MessageDocument {
  const { refused } = proposed
  const latest = Math.max(now, stored.refused?.at ?? 0)
  if (!refused || refused.at <= latest) return proposed
  return { ...proposed, refused: { ...refused, at: latest } }
}

function clampEntries(held: Reactions, now: number): Reactions {
  const clamped = Object.entries(held).map(([userId, entry]) => [
    userId,
    { ...entry, at: Math.min(entry.at, now) },
  ])
  return Object.fromEntries(clamped)
}

/**
 * Cuts a refused text to the accepted length before it is kept for its author. This app never
 * writes longer ones, so storing the rest is useless.
 */
export function cutText(text: string): string {
  const { messageMaxCharacters } = limits
  if (text.length <= messageMaxCharacters) return text
  const isInPair = /[\ud800-\udbff]/.test(text.charAt(messageMaxCharacters - 1))
  return text.slice(0, isInPair ? messageMaxCharacters - 1 : messageMaxCharacters)
}
