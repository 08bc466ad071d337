import { foldText } from './fold-text.ts'
import { parseQuery, splitWords } from './search-query.ts'

const onlyAscii = /^[\0-\x7f]*$/

/** UTF-16 indexes into the original text; `end` is exclusive. */
export interface TextRange {
  start: number
  end: number
}

/**
 * The ranges of a text that match a search: a word's typed beginning, and each occurrence of a run.
 * Ordered, disjoint, never splitting a visible character (an accent, an emoji of several parts).
 * Marks words even when other words of the query are missing.
 */
export function highlight(text: string, query: string): TextRange[] {
  const wanted = parseQuery(query)
  if (wanted.length === 0) return []
  const { folded, starts, ends } = foldWithPlaces(text)
  const ranges: TextRange[] = []
  const mark = (from: number, length: number) => {
    const start = starts[from]
    const end = ends[from + length - 1]
    if (start !== undefined && end !== undefined) ranges.push({ start, end })
  }
  for (const piece of splitWords(folded)) {
    for (const { kind, text: part } of wanted) {
      if (kind !== piece.kind) continue
      if (kind === 'word') {
        if (piece.text.startsWith(part)) mark(piece.start, part.length)
        continue
      }
      for (let at = piece.text.indexOf(part); at >= 0; at = piece.text.indexOf(part, at + 1)) {
        mark(piece.start + at, part.length)
      }
    }
  }
  return joinRanges(ranges)
}

/**
 * The folded text, and the original start and end of the character behind each of its UTF-16 units.
 */
function foldWithPlaces(text: string) {
  let folded = ''
  const starts: number[] = []
  const ends: number[] = []
  let start = 0
  for (const character of splitCharacters(text)) {
    const end = start + character.length
    const part = foldText(character)
    folded += part
    for (let unit = 0; unit < part.length; unit++) {
      starts.push(start)
      ends.push(end)
    }
    start = end
  }
  return { folded, starts, ends }
}

function splitCharacters(text: string): Iterable<string> {
  if (onlyAscii.test(text)) return text
  if (typeof Intl.Segmenter !== 'function') return text.match(/\P{M}\p{M}*|\p{M}+/gu) ?? []
  return Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment)
}

function joinRanges(ranges: TextRange[]): TextRange[] {
  const joined: TextRange[] = []
  for (const range of ranges.sort((a, b) => a.start - b.start || a.end - b.end)) {
    const last = joined.at(-1)
    if (last && range.start <= last.end) last.end = Math.max(last.end, range.end)
    else joined.push({ ...range })
  }
  return joined
}
