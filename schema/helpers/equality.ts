/**
 * Are two values of a document equal? A missing field equals an undefined one, as in JSON; list
 * order matters. Serializes nothing: replication calls it for every document it moves.
 */
export function areValuesEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (!isObject(a) || !isObject(b) || Array.isArray(a) !== Array.isArray(b)) return false
  if (Array.isArray(a) && a.length !== (b as unknown as unknown[]).length) return false
  for (const key in a) if (!areValuesEqual(a[key], ownOf(b, key))) return false
  for (const key in b) if (b[key] !== undefined && ownOf(a, key) === undefined) return false
  return true
}

/** A field may be called `constructor`. */
function ownOf(value: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

/** Compares two documents in the given fields only; a missing field equals an undefined one. */
export function areFieldsEqual<T extends object>(
  fields: readonly (keyof T)[],
  a: Partial<T>,
  b: Partial<T>,
): boolean {
  return fields.every((field) => areValuesEqual(a[field], b[field]))
}
