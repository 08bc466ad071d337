/** More than any script sets on one letter. Source: stream-safe text, UAX #15, section 13. */
const longRuns = /(\p{M}{30})\p{M}+/gu

/**
 * `text.normalize(form)`, with at most 30 marks in a row. Normalizing sorts each run of marks, in
 * time that grows with its square: 65,000 take five seconds.
 */
export function normalizeText(text: string, form: 'NFC' | 'NFD' | 'NFKC' | 'NFKD'): string {
  return text.replace(longRuns, '$1').normalize(form)
}
