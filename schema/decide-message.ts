import { blankDeleted, blankFields, blanksOf, ownOutcome } from './blank-deleted.ts'
import { areFieldsEqual } from './helpers/equality.ts'
import { limits } from './limits.ts'
import { areMessagesEqual, mergeMessages, orderHistory } from './merge-messages.ts'
import {
  hasPayload,
  isAccepted,
  isInLostSpan,
  isUploadOwed,
  type LostSpan,
  type MessageDocument,
  withoutBusinessFields,
  withoutProviderFields,
} from './message.ts'
import { authorRegisters, fieldsOf, jointRegisters } from './message-registers.ts'
import {
  clampTimes,
  cutText,
  permitMessageChange,
  pickEntries,
  refuseText,
} from './permit-message-change.ts'
import { type Refusal, refuse } from './refusal.ts'

const authorFields = fieldsOf(authorRegisters)
const jointFields = fieldsOf(jointRegisters)
/** Both people change it, so nobody has before both have the message. */
const jointBlanks = blanksOf(jointRegisters)
const outcomeBlanks = new Map(ownOutcome.map((field) => [field, undefined] as const))
const newBlanks = new Map([...jointBlanks, ...outcomeBlanks])
/** The other person's device gives back their own entries. */
const returnedBlanks = new Map([
  ...blanksOf(jointRegisters.filter(({ by }) => by === 'each')),
  ...outcomeBlanks,
])

/**
 * What becomes of a proposed version of a message in its proposer's own copy.
 * - `keep`: the stored version already says all that the proposal may say.
 * - `accept`: store `next`. `deliver`: a new message; it needs its place (`orderedAt`) and the
 *   other person's copy first (P3). `amend`: the other person's copy changes too. `own`: this copy
 *   only.
 * - `refuse`: no other copy changes; `next` gives the author the reason and the text (P6).
 */
export type MessageDecision =
  | { kind: 'keep' }
  | { kind: 'accept'; next: MessageDocument; effect: 'deliver' | 'amend' | 'own' }
  | { kind: 'refuse'; next: MessageDocument; refusal: Refusal }

export interface MessageProposal {
  actorId: string
  stored: MessageDocument | undefined
  proposed: MessageDocument
  /**
   * May the actor write to this person? The server accepts a blocked person's message like any
   * other.
   */
  isRecipientKnown: boolean
  /**
   * Has the actor used up their quota? Stored messages can still change, and lost ones can be
   * restored.
   */
  isAuthorFull?: boolean
  /** Does the recipient not take a first message from the actor? */
  isFirstRefused?: boolean
  /** What the server forgot when a backup was restored. */
  lost?: readonly LostSpan[]
  /**
   * The other person is on a business channel. `author`: the actor writes to them. `provider`: the
   * channel reports what it knows, in the actor's copy; no device can.
   */
  channel?: 'author' | 'provider' | undefined
  /** The server's time, epoch ms. */
  now: number
}

/** The one rule (P4). Pure: replication, REST, the socket and the business channel all use it. */
export function decideMessage(proposal: MessageProposal): MessageDecision {
  if (proposal.channel === 'provider') return decideProvided(proposal)
  return proposal.stored
    ? decideChange({ ...proposal, stored: proposal.stored })
    : decideNew(proposal)
}

function decideChange(proposal: MessageProposal & { stored: MessageDocument }): MessageDecision {
  const { stored } = proposal
  const { next, refusal, isRetry } = permitMessageChange(proposal)
  if (refusal) return { kind: 'refuse', next, refusal }
  if (isRetry) return decideNew({ ...proposal, proposed: next })
  if (areMessagesEqual(stored, next)) return { kind: 'keep' }
  const isAuthor = stored.senderId === proposal.actorId
  const isPeerConcerned =
    isAccepted(stored) &&
    ((isAuthor && !areFieldsEqual(authorFields, stored, next)) ||
      !areFieldsEqual(jointFields, stored, next))
  return { kind: 'accept', next, effect: isPeerConcerned ? 'amend' : 'own' }
}

/**
 * The provider decides what it knows: what a contact wrote, and how far a message has come. Each
 * report builds on the previous version; when two servers build on the same one, the later report
 * is recomputed.
 */
function decideProvided({ actorId, stored, proposed }: MessageProposal): MessageDecision {
  const { senderId, recipientId, peerId } = proposed
  const people = [senderId, recipientId]
  const isOwn = peerId !== actorId && people.includes(actorId) && people.includes(peerId)
  if (!isOwn || (stored && (stored.senderId !== senderId || stored.peerId !== peerId))) {
    return stored ? { kind: 'keep' } : refuseProvided(proposed)
  }
  const told = { ...proposed, isWhatsApp: true, content: cutText(proposed.content) }
  if (!stored) return { kind: 'accept', next: told, effect: 'deliver' }
  if (versionOf(told) <= versionOf(stored)) return { kind: 'keep' }
  const next = mergeMessages(stored, told)
  return areMessagesEqual(stored, next) ? { kind: 'keep' } : { kind: 'accept', next, effect: 'own' }
}

function versionOf({ providerVersion = 0 }: MessageDocument): number {
  return providerVersion
}

function refuseProvided(proposed: MessageDocument): MessageDecision {
  const refusal = refuse('wrong_sender')
  return { kind: 'refuse', next: { ...proposed, status: 'failed' }, refusal }
}

function decideNew(asked: MessageProposal): MessageDecision {
  const strip = asked.channel === undefined ? withoutBusinessFields : withoutProviderFields
  const proposal = { ...asked, proposed: strip(asked.proposed) }
  const { proposed, now } = proposal
  const { lost = [] } = proposal
  if (isReceived(proposal)) {
    // A reader's word alone creates no message from the author, except where the server is known to
    // have forgotten it.
    const isTaken = isInLostSpan(lost, proposed.orderedAt) && !proposal.isAuthorFull
    return isTaken && !findContentRefusal(proposal)
      ? { kind: 'accept', next: takeBack(proposal), effect: 'own' }
      : { kind: 'keep' }
  }
  if (isReturned(proposal)) {
    // A deleted account gets nothing more, nor does one that takes no first message; the author had
    // the message, and gets it back.
    const isWelcome = proposal.isRecipientKnown && !proposal.isFirstRefused
    const effect = isWelcome ? 'deliver' : 'own'
    return { kind: 'accept', next: takeBack(proposal), effect }
  }
  if (proposed.senderId === proposal.actorId && proposed.deletedAt !== undefined) {
    return { kind: 'accept', next: discard(proposed, now), effect: 'own' }
  }
  const refusal = findRefusal(proposal)
  if (refusal) {
    return { kind: 'refuse', next: failMessage({ ...proposal, refusal }), refusal }
  }
  // Nobody has refused it yet, and what was changed before is its first text.
  const { editedAt, refused, ...rest } = blankFields(proposed, newBlanks)
  const next: MessageDocument = {
    ...clampTimes(rest, now),
    status: 'sent',
    statusHistory: orderHistory([
      ...historyOf(proposal.stored),
      { status: 'sent', timestamp: now },
    ]),
    ...(asked.channel && { isWhatsApp: true, waState: 'queued' as const, ...nextVersion(asked) }),
  }
  return { kind: 'accept', next, effect: 'deliver' }
}

function nextVersion({ stored }: Pick<MessageProposal, 'stored'>) {
  return { providerVersion: (stored ? versionOf(stored) : 0) + 1 }
}

/**
 * Does it claim an earlier acknowledgement? A device holds such a version when the server has lost
 * it. It counts as sent now; the journal decides whether it keeps its place.
 */
function isAcknowledged(proposed: Pick<MessageDocument, 'status'>): boolean {
  return proposed.status === 'sent'
}

/** It was stored before, so after a restore the rule does not check quota and recipient again. */
function isReturned(proposal: MessageProposal): boolean {
  const { proposed, lost = [] } = proposal
  if (!isAcknowledged(proposed)) return false
  const asBefore = {
    ...proposal,
    isRecipientKnown: true,
    isFirstRefused: false,
    isAuthorFull: false,
  }
  return findRefusal(lost.length > 0 ? asBefore : proposal) === undefined
}

/** The actor's own copy of the other person's message. */
function isReceived({ actorId, proposed }: MessageProposal): boolean {
  const { senderId, recipientId, peerId } = proposed
  return (
    isAccepted(proposed) && senderId === peerId && senderId !== actorId && recipientId === actorId
  )
}

/** A previously acknowledged message, as its owner's device kept it. */
function takeBack({ actorId, proposed, channel, now }: MessageProposal): MessageDocument {
  const rest = blankFields(proposed, returnedBlanks)
  const status = proposed.senderId === actorId ? ('sent' as const) : ('delivered' as const)
  const told = proposed.statusHistory.filter((one) => one.status === status && one.timestamp <= now)
  const taken = blankDeleted({
    ...rest,
    status,
    statusHistory: [told[0] ?? { status, timestamp: Math.min(proposed.orderedAt, now) }],
    ...(channel && { isWhatsApp: true }),
    ...pickEntries(proposed, actorId),
  })
  return clampTimes(taken, now)
}

function findRefusal(proposal: MessageProposal): Refusal | undefined {
  const { actorId, proposed, isRecipientKnown, isFirstRefused, isAuthorFull } = proposal
  if (proposed.senderId !== actorId) return refuse('wrong_sender')
  if (proposed.recipientId === actorId) return refuse('to_yourself')
  if (proposed.recipientId !== proposed.peerId) return refuse('wrong_sender')
  if (isAccepted(proposed) && !isAcknowledged(proposed)) return refuse('forged_status')
  if (!isRecipientKnown) return refuse('unknown_person')
  if (isFirstRefused) return refuse('not_accepted')
  return findContentRefusal(proposal) ?? (isAuthorFull ? refuse('storage_full') : undefined)
}

function findContentRefusal({
  proposed,
  channel,
}: Pick<MessageProposal, 'proposed' | 'channel'>): Refusal | undefined {
  const isOfChannel = proposed.type === 'template' || proposed.type === 'interactive'
  if (isOfChannel && channel === undefined) return refuse('type_not_allowed')
  if (proposed.mediaUrl !== undefined && !proposed.mediaUrl.startsWith(limits.mediaPathPrefix)) {
    return refuse('media_not_allowed')
  }
  if (isUploadOwed(proposed)) return refuse('media_not_allowed')
  if (proposed.deletedAt !== undefined) return undefined
  const refusal = refuseText(proposed)
  return refusal?.code === 'empty' && hasPayload(proposed) ? undefined : refusal
}

/**
 * The author's copy of a refused message: `failed`, with its text and the reason (P6).
 * It outranks the proposal, whatever status that claimed, so no device pushes the proposal again.
 */
export function failMessage(failure: {
  actorId: string
  stored?: MessageDocument | undefined
  proposed: MessageDocument
  refusal: Pick<Refusal, 'error'> & { code: string }
  now: number
}): MessageDocument {
  const { actorId, refusal, now } = failure
  const { sealed, ...proposed } = blankFields(failure.proposed, jointBlanks)
  // Cut, nobody could read it.
  const isKept = sealed !== undefined && sealed.length <= limits.sealedMaxCharacters
  return blankDeleted({
    ...proposed,
    ...(isKept && { sealed }),
    content: cutText(proposed.content),
    senderId: actorId,
    recipientId: proposed.peerId,
    status: 'failed',
    attempt: Math.min(proposed.attempt + Number(isAccepted(proposed)), 1_000_000),
    statusHistory: orderHistory([
      ...historyOf(failure.stored),
      { status: 'failed', timestamp: now },
    ]),
    createdAt: Math.min(proposed.createdAt, now),
    orderedAt: Math.min(proposed.orderedAt, now),
    error: refusal.error,
    errorCode: refusal.code,
  })
}

function discard(proposed: MessageDocument, now: number): MessageDocument {
  return blankDeleted({
    ...proposed,
    status: 'failed',
    statusHistory: [],
    deletedAt: Math.min(proposed.deletedAt ?? now, now),
  })
}

/** Only the server writes history: ignores what a device claims. */
function historyOf(stored: MessageDocument | undefined) {
  return stored?.statusHistory ?? []
}
