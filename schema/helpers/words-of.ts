/** A thrown value in words: an error's message, or the value as text. */
export function wordsOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}
