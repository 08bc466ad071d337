/** A document as it is written and told: without the revision of the database that it was read from. */
export function withoutRev<T extends object>(document: T & { _rev?: string }): Omit<T, '_rev'> {
  const { _rev, ...rest } = document
  return rest
}
