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
