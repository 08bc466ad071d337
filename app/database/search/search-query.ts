import { foldText } from './fold-text.ts'
import { type Piece, splitWords } from './split-words.ts'

/** What somebody looks for: every piece must be in the message, in any order. */
export type SearchQuery = readonly Pick<Piece, 'text' | 'kind'>[]

/** An empty query, or one of separators alone, has no pieces and finds nothing. */
export function parseQuery(text: string): SearchQuery {
  return splitWords(foldText(text))
}

/** The rule of the search, whatever the index: words by their beginning, runs by any part. */
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
