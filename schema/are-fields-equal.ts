import { canonicalJson } from './canonical-json.ts'

/**
 * Compares two documents in the given fields only; a missing field equals an undefined one.
 * Synchronous and cheap: replication calls it for every document that it moves.
 */
export function areFieldsEqual<T extends object>(
  fields: readonly (keyof T)[],
  a: Partial<T>,
  b: Partial<T>,
): boolean {
  for (const field of fields) {
    const left = a[field]
    const right = b[field]
    if (left === right) continue
    if (typeof left !== 'object' || typeof right !== 'object' || !left || !right) return false
    if (canonicalJson(left) !== canonicalJson(right)) return false
  }
  return true
}
