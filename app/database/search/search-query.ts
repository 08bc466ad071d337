import { limits } from '../../../schema/limits.ts'
import { foldText } from './fold-text.ts'

const unspaced =
  '[\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Bopomofo}\\p{scx=Thai}\\p{scx=Lao}\\p{scx=Khmer}\\p{scx=Myanmar}\\p{scx=Tai_Le}\\p{scx=New_Tai_Lue}\\p{scx=Tai_Tham}\\p{scx=Tai_Viet}\\p{scx=Javanese}\\p{scx=Balinese}]'

const letter = '[\\p{L}\\p{N}\\p{M}]'

const run = `(?:(?=${unspaced})${letter}|[\\p{Extended_Pictographic}\\p{RI}])+`

const word = `(?:(?!${unspaced})${letter})+`

const pieces = new RegExp(`(${run})|${word}`, 'gu')

const asciiWords = /[a-z0-9]+/g

const onlyAscii = /^[\0-\x7f]*$/

/** A parsed query: the message must contain every piece, in any order. */
export type SearchQuery = readonly Pick<Piece, 'text' | 'kind'>[]

/** An empty query, or one of separators alone, has no pieces and matches nothing. */
export function parseQuery(text: string): SearchQuery {
  return splitWords(foldText(text))
}

/**
 * Is a query long enough to search for? One character of Chinese or Japanese is a word; of other
 * scripts two characters are the least.
 */
export function isSearchable(query: string): boolean {
  const text = query.trim()
  if (text.length >= limits.userSearchMinLength) return true
  return parseQuery(text).some(({ kind }) => kind === 'run')
}

/** The matching rule, independent of the index: words by their beginning, runs by any part. */
export function matchesQuery(text: string, query: SearchQuery): boolean {
  if (query.length === 0) return false
  const pieces = splitWords(foldText(text))
  return query.every((wanted) => pieces.some((piece) => matchesPiece(piece, wanted)))
}

function matchesPiece(piece: Piece, wanted: Pick<Piece, 'text' | 'kind'>): boolean {
  if (piece.kind !== wanted.kind) return false
  return piece.kind === 'word'
    ? piece.text.startsWith(wanted.text)
    : piece.text.includes(wanted.text)
}

/**
 * A searchable stretch of folded text. A `word` matches by its beginning. A `run` is emoji, or text
 * of a script without spaces: any part of it matches.
 */
interface Piece {
  text: string
  kind: 'word' | 'run'
  /** UTF-16 index in the folded text. */
  start: number
}

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
