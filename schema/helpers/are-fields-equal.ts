import { areValuesEqual } from './are-values-equal.ts'

/** Compares two documents in the given fields only; a missing field equals an undefined one. */
export function areFieldsEqual<T extends object>(
  fields: readonly (keyof T)[],
  a: Partial<T>,
  b: Partial<T>,
): boolean {
  return fields.every((field) => areValuesEqual(a[field], b[field]))
}
