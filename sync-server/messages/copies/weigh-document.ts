import { fieldsOf, jointRegisters } from '../../../schema/message-registers.ts'

/** Few and short, and the other person's part is not the author's. */
const weightless = Object.fromEntries(fieldsOf(jointRegisters).map((field) => [field, undefined]))

/**
 * How many bytes a document counts for its owner's quota, without what both people change in it,
 * such as reactions; 0 without a document.
 */
export function weighDocument(document: object | undefined): number {
  if (document === undefined) return 0
  return Buffer.byteLength(JSON.stringify({ ...document, ...weightless }))
}

/** By how many bytes a document grows, as `weighDocument` counts: writes out only what changed. */
export function weighGrowth(
  before: Record<string, unknown> | undefined,
  after: Record<string, unknown>,
): number {
  if (before === undefined) return weighDocument(after)
  const changed = Object.keys({ ...before, ...after }).filter(
    (field) => before[field] !== after[field],
  )
  // With a field that stays, as a document has, each other one counts its comma.
  const weigh = (from: Record<string, unknown>) =>
    weighDocument({ _: 0, ...Object.fromEntries(changed.map((field) => [field, from[field]])) })
  return weigh(after) - weigh(before)
}
