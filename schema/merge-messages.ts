import { blankDeleted, lastingOutcome } from './blank-deleted.ts'
import { areFieldsEqual, areValuesEqual } from './helpers/equality.ts'
import { canonicalJson } from './helpers/json.ts'
import { type MessageDocument, messageFields, type RefusedChange, statusRank } from './message.ts'
import { fieldsOf, isOptional, type Merge, type Register, registers } from './message-registers.ts'
import { mergeReactions } from './reaction.ts'

type Writable = Record<string, unknown>
/** Writes what two versions of a register become; leaves out what is undefined. */
type Merger = (merged: Writable, a: MessageDocument, b: MessageDocument) => void

const mergers: Record<Merge, (register: Register) => Merger> = {
  latest:
    ({ field, at, fields }) =>
    (merged, a, b) => {
      const later = compareRegisters(a, b, { field, at }) >= 0 ? a : b
      for (const each of fields) if (later[each] !== undefined) merged[each] = later[each]
    },
  earliest: ({ field }) => mergeValues(field, earliest),
  latestOfEach: ({ field }) => mergeValues(field, mergeReactions),
  latestRefusal: ({ field }) => mergeValues(field, latestRefusal),
  union: ({ field }) => mergeValues(field, uniteHistories),
}
const mergerOf = new Map(registers.map((each) => [each, mergers[each.merge](each)]))
const allMergers = [...mergerOf.values()]
const registerFields: ReadonlySet<string> = new Set(fieldsOf(registers))
/** Written first, so that equal messages are stored with one order of fields. */
const requiredFields = fieldsOf(registers).filter((field) => !isOptional(field))

/**
 * Merges two versions of one message (P5): commutative, associative, idempotent.
 * Each part is a maximum under a total order, so the order of arrival cannot matter: each register
 * as its row says, the outcome by (attempt, status, provider's version, its text).
 */
export function mergeMessages(a: MessageDocument, b: MessageDocument): MessageDocument {
  const outcome = (compareOutcomes(a, b) >= 0 ? a : b) as Writable
  const merged: Writable = {}
  for (const field in outcome) if (!registerFields.has(field)) merged[field] = outcome[field]
  for (const field of requiredFields) merged[field] = undefined
  for (const merge of allMergers) merge(merged, a, b)
  return blankDeleted(merged as MessageDocument)
}

/** Merges two versions of some registers only; leaves out what neither has. */
export function mergeRegisters(
  some: readonly Register[],
  a: MessageDocument,
  b: MessageDocument,
): Partial<MessageDocument> {
  const merged: Writable = {}
  for (const register of some) mergerOf.get(register)?.(merged, a, b)
  return merged
}

/** Are two versions equal in every replicated field? */
export function areMessagesEqual(a: Partial<MessageDocument>, b: Partial<MessageDocument>) {
  return areFieldsEqual(messageFields, a, b)
}

function compareOutcomes(a: MessageDocument, b: MessageDocument): number {
  if (a.attempt !== b.attempt) return a.attempt - b.attempt
  const byStatus = statusRank(a) - statusRank(b)
  if (byStatus !== 0) return byStatus
  const byProvider = (a.providerVersion ?? 0) - (b.providerVersion ?? 0)
  if (byProvider !== 0) return byProvider
  // Most versions differ only in their registers, and serializing the rest is most of the work.
  if (areOutcomesEqual(a, b)) return 0
  // Compares what survives a deletion first: a deleted copy has lost the rest, and the winner must
  // not depend on whether the deletion was merged before or after.
  return (
    compareValues(canonicalJson(lastingOf(a)), canonicalJson(lastingOf(b))) ||
    compareValues(canonicalJson(outcomeOf(a)), canonicalJson(outcomeOf(b)))
  )
}

function areOutcomesEqual(a: Writable, b: Writable): boolean {
  for (const field in a) {
    if (registerFields.has(field)) continue
    if (!areValuesEqual(a[field], Object.hasOwn(b, field) ? b[field] : undefined)) return false
  }
  for (const field in b) {
    if (registerFields.has(field) || b[field] === undefined) continue
    if (!Object.hasOwn(a, field) || a[field] === undefined) return false
  }
  return true
}

function outcomeOf(message: MessageDocument): object {
  return Object.fromEntries(Object.entries(message).filter(([field]) => !registerFields.has(field)))
}

function lastingOf(message: MessageDocument): object {
  return Object.fromEntries(lastingOutcome.map((field) => [field, message[field]]))
}

function mergeValues<Value>(
  field: Register['field'],
  merge: (a: Value | undefined, b: Value | undefined) => Value | undefined,
): Merger {
  return (merged, a, b) => {
    const value = merge(a[field] as Value | undefined, b[field] as Value | undefined)
    if (value !== undefined) merged[field] = value
  }
}

function compareRegisters(
  a: MessageDocument,
  b: MessageDocument,
  { field, at }: Pick<Register, 'field' | 'at'>,
): number {
  const byTime = at === undefined ? 0 : (a[at] ?? -1) - (b[at] ?? -1)
  if (byTime !== 0) return byTime
  const [ofA, ofB] = [a[field], b[field]]
  if (ofA !== undefined && ofB !== undefined) {
    return typeof ofA === 'object' || typeof ofB === 'object'
      ? compareValues(canonicalJson(ofA), canonicalJson(ofB))
      : compareValues(ofA, ofB)
  }
  return Number(ofA !== undefined) - Number(ofB !== undefined)
}

function earliest(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined) return b
  return b === undefined ? a : Math.min(a, b)
}

function latestRefusal(a: RefusedChange | undefined, b: RefusedChange | undefined) {
  if (!a || !b) return a ?? b
  if (a.at !== b.at) return a.at > b.at ? a : b
  if (!!a.isDismissed !== !!b.isDismissed) return a.isDismissed ? a : b
  return compareValues(canonicalJson(a), canonicalJson(b)) >= 0 ? a : b
}

type History = MessageDocument['statusHistory']

function uniteHistories(a: History = [], b: History = []): History {
  return orderHistory([...a, ...b])
}

/** Normalizes a history for storage: each entry once, oldest first. */
export function orderHistory(entries: History): History {
  const union = new Map(entries.map((entry) => [`${entry.timestamp} ${entry.status}`, entry]))
  return [...union.values()].sort(
    (x, y) => x.timestamp - y.timestamp || compareValues(x.status, y.status),
  )
}

function compareValues<Value>(a: Value, b: Value): number {
  return a < b ? -1 : a > b ? 1 : 0
}
