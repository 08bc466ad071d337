import type { TextMark } from '../ui/text/marked-text.tsx'

const wordsBefore = 4
const snippetMaxLength = 160

interface Snippet {
  text: string
  marks: TextMark[]
}

/** The part of a text around the first mark, on one line; starts with '…' if cut. */
export function cutSnippet(text: string, marks: readonly TextMark[]): Snippet {
  const line = text.replace(/\s/g, ' ')
  const first = marks[0]
  const start = first ? findStart(line, first.start) : 0
  const lead = start > 0 ? '…' : ''
  const end = start + snippetMaxLength
  const shift = lead.length - start
  return {
    text: lead + line.slice(start, end),
    marks: marks
      .filter((mark) => mark.end <= end)
      .map((mark) => ({ start: mark.start + shift, end: mark.end + shift })),
  }
}

function findStart(line: string, markStart: number): number {
  let start = markStart
  for (let words = 0; words < wordsBefore && start > 0; words++) {
    start = line.lastIndexOf(' ', start - 2) + 1
  }
  return markStart - start > 40 ? markStart : start
}
