import { foldText } from './fold-text.ts'
import { type SearchQuery, splitWords } from './search-query.ts'

/** No one types more, and storing a pasted key of thousands of letters twice is useless. */
const termMaxLength = 40
const lookupsMax = 12

/** Each conversation is a term too, in a bucket of its own. */
export const peerBucket = 64

export interface Lookup {
  bucket: number
  /** The wanted terms' prefix. */
  prefix: string
}

/** A text's index terms: its words, and for runs each character with its successor. */
export function listTerms(text: string): Set<string> {
  const terms = new Set<string>()
  for (const piece of splitWords(foldText(text))) {
    if (piece.kind === 'word') terms.add(piece.text.slice(0, termMaxLength))
    else for (const pair of listPairs(piece.text)) terms.add(pair)
  }
  return terms
}

/**
 * The lookups for a query. They find every match and may find others: long queries are truncated
 * here, and pairs may occur without being adjacent. So the caller checks each hit's text.
 */
export function listLookups(query: SearchQuery): Lookup[] {
  const prefixes = new Set<string>()
  for (const { kind, text } of query) {
    if (kind === 'word') {
      prefixes.add(text.slice(0, termMaxLength))
      continue
    }
    const pairs = listPairs(text)
    // A pair implies its second character, so the last entry adds nothing.
    if (pairs.length > 1) pairs.pop()
    for (const pair of pairs) prefixes.add(pair)
  }
  return [...prefixes]
    .sort((a, b) => b.length - a.length)
    .slice(0, lookupsMax)
    .map((prefix) => ({ bucket: bucketOf(prefix), prefix }))
}

/**
 * All terms with one beginning share a bucket, so a prefix of any length reads one row of a
 * segment.
 */
export function bucketOf(term: string): number {
  return Math.imul(term.codePointAt(0) ?? 0, 0x9e3779b1) >>> 26
}

function listPairs(run: string): string[] {
  const characters = [...run]
  return characters.map((character, index) => character + (characters[index + 1] ?? ''))
}
