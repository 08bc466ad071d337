/** The end of every switch over a union: a new member that nobody handles fails the type check here. */
export function unreachable(value: never): never {
  throw new Error(`Unhandled case: ${JSON.stringify(value)}`)
}
