/**
 * A stretch of folded text that can be looked for. A `word` is found by its beginning. A `run` is text of a
 * script that writes no spaces, or emoji: any part of it can be looked for.
 */
export interface Piece {
  text: string
  kind: 'word' | 'run'
  /** UTF-16 index in the folded text. */
  start: number
}

const unspaced =
  '[\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Bopomofo}\\p{scx=Thai}\\p{scx=Lao}\\p{scx=Khmer}\\p{scx=Myanmar}\\p{scx=Tai_Le}\\p{scx=New_Tai_Lue}\\p{scx=Tai_Tham}\\p{scx=Tai_Viet}\\p{scx=Javanese}\\p{scx=Balinese}]'
const letter = '[\\p{L}\\p{N}\\p{M}]'
const run = `(?:(?=${unspaced})${letter}|[\\p{Extended_Pictographic}\\p{RI}])+`
const word = `(?:(?!${unspaced})${letter})+`
const pieces = new RegExp(`(${run})|${word}`, 'gu')
const asciiWords = /[a-z0-9]+/g
const onlyAscii = /^[\0-\x7f]*$/

/**
 * Takes folded text apart; what is neither letter, digit nor emoji separates.
 *
 * Runs are not cut into words, although `Intl.Segmenter` could: it cuts half a word elsewhere than the whole
 * one, so typing would lose hits, and the index would go stale whenever a browser's dictionary changes.
 */
export function splitWords(folded: string): Piece[] {
  const isAscii = onlyAscii.test(folded)
  return Array.from(folded.matchAll(isAscii ? asciiWords : pieces), (match) => ({
    text: match[0],
    kind: match[1] === undefined ? 'word' : 'run',
    start: match.index,
  }))
}
