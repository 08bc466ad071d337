import { areFieldsEqual } from './helpers/are-fields-equal.ts'
import { areValuesEqual } from './helpers/are-values-equal.ts'
import { canonicalJson } from './helpers/canonical-json.ts'
import { blankDeleted, type MessageDocument, messageFields, type RefusedChange } from './message.ts'
import { mergeReactions } from './reaction.ts'
import { statusRank } from './status-rank.ts'

/**
 * Merges two versions of one message (P5): commutative, associative, idempotent.
 * Each part is a maximum under a total order, so the order of arrival cannot matter:
 * the core by (attempt, status, provider's version, text of the core), the content by (editedAt,
 * content), the star by (isStarredAt, isStarred), each person's reaction by (at, emoji), the
 * deletion by the earliest time, the history by union.
 */
export function mergeMessages(a: MessageDocument, b: MessageDocument): MessageDocument {
  const core = compareCores(a, b) >= 0 ? a : b
  const text = compareTexts(a, b) >= 0 ? a : b
  const star = compareStars(a, b) >= 0 ? a : b
  const deletedAt = earliest(a.deletedAt, b.deletedAt)
  const refused = latestRefusal(a.refused, b.refused)
  const reactions = mergeReactions(a.reactions, b.reactions)
  const merged: MessageDocument = {
    ...coreOf(core),
    statusHistory: orderHistory([...a.statusHistory, ...b.statusHistory]),
    content: text.content,
    isStarred: star.isStarred,
    isStarredAt: star.isStarredAt,
    ...(text.editedAt === undefined ? {} : { editedAt: text.editedAt }),
    ...(deletedAt === undefined ? {} : { deletedAt }),
    ...(refused === undefined ? {} : { refused }),
    ...(reactions === undefined ? {} : { reactions }),
  }
  return blankDeleted(merged)
}

/** Are two versions equal in every replicated field? */
export function areMessagesEqual(a: Partial<MessageDocument>, b: Partial<MessageDocument>) {
  return areFieldsEqual(messageFields, a, b)
}

type Core = Omit<
  MessageDocument,
  | 'content'
  | 'editedAt'
  | 'deletedAt'
  | 'isStarred'
  | 'isStarredAt'
  | 'statusHistory'
  | 'refused'
  | 'reactions'
>

function coreOf(message: MessageDocument): Core {
  const { content, editedAt, deletedAt, isStarred, isStarredAt, statusHistory, ...rest } = message
  const { refused, reactions, ...core } = rest
  return core
}

function compareCores(a: MessageDocument, b: MessageDocument): number {
  if (a.attempt !== b.attempt) return a.attempt - b.attempt
  const byStatus = statusRank(a) - statusRank(b)
  if (byStatus !== 0) return byStatus
  const byProvider = (a.providerVersion ?? 0) - (b.providerVersion ?? 0)
  if (byProvider !== 0) return byProvider
  const cores = [coreOf(a), coreOf(b)] as const
  // Most versions differ only in their text, and serializing the rest is most of the work.
  if (areValuesEqual(...cores)) return 0
  // Compares what survives a deletion first: a deleted copy has lost the rest, and the winner must
  // not depend on whether the deletion was merged before or after.
  return (
    compareStrings(lastingCoreOf(a), lastingCoreOf(b)) ||
    compareStrings(canonicalJson(cores[0]), canonicalJson(cores[1]))
  )
}

function lastingCoreOf(message: MessageDocument): string {
  return canonicalJson(coreOf(blankDeleted({ ...message, deletedAt: 0 })))
}

function compareTexts(a: MessageDocument, b: MessageDocument): number {
  const byTime = (a.editedAt ?? -1) - (b.editedAt ?? -1)
  return byTime !== 0 ? byTime : compareStrings(a.content, b.content)
}

function compareStars(a: MessageDocument, b: MessageDocument): number {
  const byTime = a.isStarredAt - b.isStarredAt
  return byTime !== 0 ? byTime : Number(a.isStarred) - Number(b.isStarred)
}

function earliest(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined) return b
  return b === undefined ? a : Math.min(a, b)
}

function latestRefusal(a: RefusedChange | undefined, b: RefusedChange | undefined) {
  if (!a || !b) return a ?? b
  if (a.at !== b.at) return a.at > b.at ? a : b
  if (!!a.isDismissed !== !!b.isDismissed) return a.isDismissed ? a : b
  return compareStrings(canonicalJson(a), canonicalJson(b)) >= 0 ? a : b
}

/** Normalizes a history for storage: each entry once, oldest first. */
export function orderHistory(
  entries: MessageDocument['statusHistory'],
): MessageDocument['statusHistory'] {
  const union = new Map(entries.map((entry) => [`${entry.timestamp} ${entry.status}`, entry]))
  return [...union.values()].sort(
    (x, y) => x.timestamp - y.timestamp || compareStrings(x.status, y.status),
  )
}

function compareStrings(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
