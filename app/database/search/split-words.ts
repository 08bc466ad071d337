/**
 * A searchable stretch of folded text. A `word` matches by its beginning. A `run` is emoji, or text
 * of a script without spaces: any part of it matches.
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
 * Splits folded text; anything but letters, digits and emoji separates.
 *
 * Does not cut runs into words, although `Intl.Segmenter` could: it cuts a partial word
 * differently, so typing would lose hits, and a browser's dictionary update would make the index
 * stale.
 */
export function splitWords(folded: string): Piece[] {
  const isAscii = onlyAscii.test(folded)
  return Array.from(folded.matchAll(isAscii ? asciiWords : pieces), (match) => ({
    text: match[0],
    kind: match[1] === undefined ? 'word' : 'run',
    start: match.index,
  }))
}
