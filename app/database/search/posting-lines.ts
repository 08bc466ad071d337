/**
 * An index row's format: one line per term, `term TAB positions LF`, after an initial LF. A
 * position within its segment is one character, so `indexOf` finds a prefix without parsing. Terms
 * hold letters, digits and emoji, positions start above ASCII: neither holds TAB or LF.
 */
const positionBase = 0x100

/** Positions fit easily between ASCII and the surrogates. */
export const segmentSize = 1_024

/** Each term's positions, as a line stores them. */
export type Postings = Map<string, string>

export function decodeLines(lines: string): Postings {
  const postings: Postings = new Map()
  for (const line of lines.split('\n')) {
    if (line === '') continue
    const tab = line.indexOf('\t')
    postings.set(line.slice(0, tab), line.slice(tab + 1))
  }
  return postings
}

/** Empty when nothing is left. */
export function encodeLines(postings: Postings): string {
  let lines = ''
  for (const [term, positions] of postings) lines += `\n${term}\t${positions}`
  return lines && `${lines}\n`
}

export function addPosting(postings: Postings, term: string, position: number): void {
  const found = postings.get(term) ?? ''
  postings.set(term, found + String.fromCharCode(positionBase + position))
}

/** Removes these positions from every term; a term without positions leaves the index. */
export function stripPositions(postings: Postings, positions: readonly number[]): void {
  const gone = new Set(positions.map((position) => String.fromCharCode(positionBase + position)))
  for (const [term, kept] of postings) {
    const left = [...kept].filter((position) => !gone.has(position)).join('')
    if (left === '') postings.delete(term)
    else if (left.length < kept.length) postings.set(term, left)
  }
}

/**
 * Calls back with the position of every message with a term of this prefix, sometimes repeatedly.
 */
export function scanLines(
  lines: string,
  prefix: string,
  onPosition: (position: number) => void,
): void {
  const wanted = `\n${prefix}`
  for (let line = lines.indexOf(wanted); line >= 0; ) {
    const end = lines.indexOf('\n', line + 1)
    for (let at = lines.indexOf('\t', line) + 1; at < end; at++) {
      onPosition(lines.charCodeAt(at) - positionBase)
    }
    line = lines.indexOf(wanted, end)
  }
}
