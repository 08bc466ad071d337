import { foldText } from './fold-text.ts'
import type { SearchQuery } from './search-query.ts'
import { splitWords } from './split-words.ts'

/** Nobody types more, and a pasted key of thousands of letters need not be kept twice. */
const termMaxLength = 40
const lookupsMax = 12

/** Each conversation is a term too, in a bucket of its own. */
export const peerBucket = 64

export interface Lookup {
  bucket: number
  /** The beginning of the terms that are wanted. */
  prefix: string
}

/** The terms under which a text is kept: its words, and for runs each character with the one after it. */
export function listTerms(text: string): Set<string> {
  const terms = new Set<string>()
  for (const piece of splitWords(foldText(text))) {
    if (piece.kind === 'word') terms.add(piece.text.slice(0, termMaxLength))
    else for (const pair of listPairs(piece.text)) terms.add(pair)
  }
  return terms
}

/**
 * What to read for a query. It finds every message that matches and may find others: a long query is cut
 * short here, and pairs may be in a message without being neighbours. So each hit is checked by its text.
 */
export function listLookups(query: SearchQuery): Lookup[] {
  const prefixes = new Set<string>()
  for (const { kind, text } of query) {
    if (kind === 'word') {
      prefixes.add(text.slice(0, termMaxLength))
      continue
    }
    const pairs = listPairs(text)
    // Where a pair is, its second character is: the last entry tells nothing more.
    if (pairs.length > 1) pairs.pop()
    for (const pair of pairs) prefixes.add(pair)
  }
  return [...prefixes]
    .sort((a, b) => b.length - a.length)
    .slice(0, lookupsMax)
    .map((prefix) => ({ bucket: bucketOf(prefix), prefix }))
}

/** All terms with one beginning share a bucket, so a prefix of any length reads one row of a segment. */
export function bucketOf(term: string): number {
  return Math.imul(term.codePointAt(0) ?? 0, 0x9e3779b1) >>> 26
}

function listPairs(run: string): string[] {
  const characters = [...run]
  return characters.map((character, index) => character + (characters[index + 1] ?? ''))
}
