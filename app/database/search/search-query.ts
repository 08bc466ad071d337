import { foldText } from './fold-text.ts'
import { type Piece, splitWords } from './split-words.ts'

/** A parsed query: the message must contain every piece, in any order. */
export type SearchQuery = readonly Pick<Piece, 'text' | 'kind'>[]

/** An empty query, or one of separators alone, has no pieces and matches nothing. */
export function parseQuery(text: string): SearchQuery {
  return splitWords(foldText(text))
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
