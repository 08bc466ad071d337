/**
 * The form of a row of the index: one line a term, `term TAB positions LF`, behind a first LF. A position
 * within its segment is one character, so a prefix is found by `indexOf` and nothing is taken apart to read.
 * Terms hold letters, digits and emoji only, positions start above ASCII: neither holds TAB or LF.
 */
const positionBase = 0x100

/** Positions fit between ASCII and the surrogates with ease. */
export const segmentSize = 1_024

/** The positions of each term, in the form of a line. */
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

/** Takes these positions out of every term; a term that nobody says any more leaves the index. */
export function stripPositions(postings: Postings, positions: readonly number[]): void {
  const gone = new Set(positions.map((position) => String.fromCharCode(positionBase + position)))
  for (const [term, kept] of postings) {
    const left = [...kept].filter((position) => !gone.has(position)).join('')
    if (left === '') postings.delete(term)
    else if (left.length < kept.length) postings.set(term, left)
  }
}

/** Calls back with the position of every message that has a term with this beginning; some several times. */
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
