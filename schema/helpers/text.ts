const unseen = /[\s\p{Default_Ignorable_Code_Point}]/gu

/** More than any script sets on one letter. Source: stream-safe text, UAX #15, section 13. */
const longRuns = /(\p{M}{30})\p{M}+/gu

/**
 * `text.normalize(form)`, with at most 30 marks in a row. Normalizing sorts each run of marks, in
 * time that grows with its square: 65,000 take five seconds.
 */
export function normalizeText(text: string, form: 'NFC' | 'NFD' | 'NFKC' | 'NFKD'): string {
  return text.replace(longRuns, '$1').normalize(form)
}

/** Is a text invisible: only spaces and zero-width characters? */
export function isBlank(text: string): boolean {
  return text.replace(unseen, '') === ''
}

/**
 * A thrown value in words: an error's message.
 * @param otherwise for a value that is no error; by default the value as text
 */
export function wordsOf(cause: unknown, otherwise?: string): string {
  return cause instanceof Error ? cause.message : (otherwise ?? String(cause))
}
