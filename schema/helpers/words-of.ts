/**
 * A thrown value in words: an error's message.
 * @param otherwise for a value that is no error; by default the value as text
 */
export function wordsOf(cause: unknown, otherwise?: string): string {
  return cause instanceof Error ? cause.message : (otherwise ?? String(cause))
}
