/** The end of every switch over a union: an unhandled new member fails the type check here. */
export function unreachable(value: never): never {
  throw new Error(`Unhandled case: ${JSON.stringify(value)}`)
}
