/** One line in the browser's console, for what costs nobody anything but a decoration. */
export function logProblem(what: string, error: unknown): void {
  console.error(`${what}: ${error instanceof Error ? error.message : String(error)}`)
}
