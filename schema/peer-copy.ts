import { blankDeleted, blankFields, blanksOf, ownOutcome } from './blank-deleted.ts'
import { areFieldsEqual, areValuesEqual } from './helpers/equality.ts'
import { mergeRegisters } from './merge-messages.ts'
import type { MessageDocument } from './message.ts'
import {
  authorRegisters,
  fieldsOf,
  jointRegisters,
  ownRegisters,
  type Register,
} from './message-registers.ts'
import { type Refusal, refuse } from './refusal.ts'

const ownBlanks = blanksOf(ownRegisters)
const unsharedBlanks = new Map([
  ...ownBlanks,
  ...ownOutcome.map((field) => [field, undefined] as const),
])
const jointFields = fieldsOf(jointRegisters)
const sharedFields = [...fieldsOf(authorRegisters), ...jointFields]

/** The other person's copy of a message that the rule accepted; this copy counts as arrived. */
export function copyForPeer(accepted: MessageDocument, now: number): MessageDocument {
  return {
    ...blankFields(accepted, unsharedBlanks),
    peerId: accepted.senderId,
    status: 'delivered',
    statusHistory: [{ status: 'delivered', timestamp: now }],
  }
}

/**
 * Recreates the author's copy from the other person's after a crash between the two writes (P3).
 */
export function copyForAuthor(peerCopy: MessageDocument, acceptedAt: number): MessageDocument {
  return {
    ...blankFields(peerCopy, ownBlanks),
    peerId: peerCopy.recipientId,
    status: 'sent',
    statusHistory: [{ status: 'sent', timestamp: acceptedAt }],
  }
}

/**
 * What both people's copies of a message have in common, beside its outcome. Missing fields are
 * there as undefined: a text without a time must not get another text's.
 */
export function pickShared(message: MessageDocument): Partial<MessageDocument> {
  return Object.fromEntries(sharedFields.map((field) => [field, message[field]]))
}

/**
 * Creates or amends the other person's copy; refuses when the id already belongs to another message
 * there. Their own registers stay, the author's text always wins, and a reader changes only what
 * both may change.
 * @param before the author's copy until now, if only this change separates the two: a later text
 * that it never had then stays, as a crash stopped that edit after this copy
 */
export function writePeerCopy(write: {
  stored: MessageDocument | undefined
  accepted: MessageDocument
  before?: MessageDocument | undefined
  now: number
}):
  | { kind: 'keep' }
  | { kind: 'store'; next: MessageDocument }
  | { kind: 'refuse'; refusal: Refusal } {
  const { stored, accepted, before, now } = write
  if (!stored) return { kind: 'store', next: copyForPeer(accepted, now) }
  if (stored.senderId !== accepted.senderId || stored.recipientId !== accepted.recipientId) {
    return { kind: 'refuse', refusal: refuse('foreign_id') }
  }
  const isFromAuthor = accepted.peerId === accepted.recipientId
  const joint = mergeRegisters(jointRegisters, stored, accepted)
  const overruled = isFromAuthor
    ? authorRegisters.filter((register) => isOverruled(register, { stored, accepted, before }))
    : []
  const isJointNews = stored.deletedAt === undefined && !areFieldsEqual(jointFields, stored, joint)
  if (overruled.length === 0 && !isJointNews) return { kind: 'keep' }
  const changes = overruled.map((register) => overrule(register, { stored, accepted }))
  return { kind: 'store', next: blankDeleted(Object.assign({ ...stored }, ...changes, joint)) }
}

interface Copies {
  stored: MessageDocument
  accepted: MessageDocument
  before?: MessageDocument | undefined
}

/** Does the author's copy say something else? To a deleted message only a deletion can be news. */
function isOverruled(register: Register, copies: Copies): boolean {
  const { stored, accepted } = copies
  const { field, merge } = register
  if (areValuesEqual(accepted[field], stored[field])) return false
  if (merge === 'earliest') return true
  return stored.deletedAt === undefined && !isAhead(register, copies)
}

/** Did a later edit reach this copy, and not the author's yet? Its hint brings it there. */
function isAhead({ field, at }: Register, { stored, accepted, before }: Copies): boolean {
  if (before === undefined || at === undefined || at === field) return false
  const isLater = (stored[at] ?? 0) > (accepted[at] ?? 0)
  return isLater && !areValuesEqual(stored[field], before[field])
}

function overrule({ field, at }: Register, { stored, accepted }: Copies): Partial<MessageDocument> {
  const value = accepted[field] ?? stored[field]
  if (at === undefined || at === field) return value === undefined ? {} : { [field]: value }
  return { [field]: accepted[field], [at]: Math.max(accepted[at] ?? 0, (stored[at] ?? 0) + 1) }
}
