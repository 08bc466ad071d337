/** Returns `value`, or throws: for values that only a bug can leave missing. */
export function must<T>(value: T | null | undefined, what: string): T {
  if (value === null || value === undefined) throw new Error(`Missing: ${what}`)
  return value
}

/** The end of every switch over a union: an unhandled new member fails the type check here. */
export function unreachable(value: never): never {
  throw new Error(`Unhandled case: ${JSON.stringify(value)}`)
}
