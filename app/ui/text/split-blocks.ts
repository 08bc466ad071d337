/** `start`: the index of its text in the whole. */
interface Piece {
  text: string
  start: number
}

/** A stretch of a message: plain text, a block of code, a quote, or a list. */
export type TextBlock =
  | ({ kind: 'text' | 'code' | 'quote' } & Piece)
  | { kind: 'list'; start: number; items: readonly (Piece & { number?: number })[] }

const anyBlock = /^(?:```|> |[-*•] |\d{1,3}[.)] )/m
const fence = /^```[\w+-]{0,20}\s*$/
const bullet = /^[-*•] (?=\S)/
const numbered = /^(\d{1,3})[.)] (?=\S)/

/**
 * Splits a text into what is drawn as a block: lines between ``` as code, lines that begin with `> `
 * as a quote, and two or more that begin with `- `, `* ` or a number as a list. One such line alone
 * is somebody who speaks, or a date. The stored text stays as it is.
 */
export function splitBlocks(text: string): TextBlock[] {
  if (!anyBlock.test(text)) return [{ kind: 'text', text, start: 0 }]
  const lines = readLines(text)
  const blocks: TextBlock[] = []
  // Behind it no block of code ends: looking for that end again and again would take too long.
  const lastFence = lines.findLastIndex(({ text }) => text.trim() === '```')
  let plain: Piece[] = []

  function endPlain() {
    const [first] = plain
    if (first) {
      blocks.push({
        kind: 'text',
        text: plain.map(({ text }) => text).join('\n'),
        start: first.start,
      })
    }
    plain = []
  }

  for (let at = 0; at < lines.length; ) {
    const code = at < lastFence ? readCode(lines, at) : undefined
    const found = code ?? readQuote(lines, at) ?? readList(lines, at)
    const line = lines[at]
    if (found) {
      endPlain()
      blocks.push(found.block)
      at = found.end
    } else {
      if (line) plain.push(line)
      at += 1
    }
  }
  endPlain()
  return blocks
}

function readLines(text: string): Piece[] {
  let start = 0
  return text.split('\n').map((line) => {
    const piece = { text: line, start }
    start += line.length + 1
    return piece
  })
}

interface Found {
  block: TextBlock
  /** The line after it. */
  end: number
}

function readCode(lines: readonly Piece[], at: number): Found | undefined {
  if (!fence.test(lines[at]?.text ?? '')) return undefined
  const inside = takeWhile(lines, at + 1, ({ text }) => text.trim() !== '```')
  const end = at + 1 + inside.length
  const [first] = inside
  if (end === lines.length || !first) return undefined
  const text = inside.map((line) => line.text).join('\n')
  return { block: { kind: 'code', text, start: first.start }, end: end + 1 }
}

function readQuote(lines: readonly Piece[], at: number): Found | undefined {
  const inside = takeWhile(lines, at, ({ text }) => text.startsWith('> '))
  const [first] = inside
  if (!first) return undefined
  const text = inside.map((line) => line.text.slice(2)).join('\n')
  return { block: { kind: 'quote', text, start: first.start + 2 }, end: at + inside.length }
}

function readList(lines: readonly Piece[], at: number): Found | undefined {
  const first = lines[at]
  const kind = first && [bullet, numbered].find((each) => each.test(first.text))
  if (!first || !kind) return undefined
  const inside = takeWhile(lines, at, ({ text }) => kind.test(text))
  if (inside.length < 2) return undefined
  const items = inside.map(({ text, start }) => {
    const [mark = '', digits] = kind.exec(text) ?? []
    const number = digits === undefined ? {} : { number: Number(digits) }
    return { text: text.slice(mark.length), start: start + mark.length, ...number }
  })
  return { block: { kind: 'list', start: first.start, items }, end: at + inside.length }
}

function takeWhile(lines: readonly Piece[], at: number, isOne: (line: Piece) => boolean): Piece[] {
  const taken: Piece[] = []
  for (let next = at; ; next++) {
    const line = lines[next]
    if (!line || !isOne(line)) return taken
    taken.push(line)
  }
}
