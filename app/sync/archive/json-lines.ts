import { ArchiveProblem } from './archive-problem.ts'

/** Far above the longest message, in characters. */
const lineMaxLength = 2_000_000

/** A JSON array with one document on each line, in pieces. */
export async function* writeLines(documents: AsyncIterable<unknown> | Iterable<unknown>) {
  let separator = '[\n'
  for await (const document of documents) {
    yield separator + JSON.stringify(document)
    separator = ',\n'
  }
  yield separator === '[\n' ? '[\n]\n' : '\n]\n'
}

/**
 * The documents of such an array, one at a time.
 * @throws ArchiveProblem `damaged`
 */
export async function* readLines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<unknown> {
  let state: 'begin' | 'inside' | 'end' = 'begin'
  for await (const line of splitLines(bytes)) {
    if (state === 'begin') {
      if (line !== '[') throw new ArchiveProblem('damaged')
      state = 'inside'
    } else if (state === 'inside' && line === ']') {
      state = 'end'
    } else if (state === 'inside') {
      yield parse(line.endsWith(',') ? line.slice(0, -1) : line)
    } else if (line !== '') {
      throw new ArchiveProblem('damaged')
    }
  }
  if (state !== 'end') throw new ArchiveProblem('damaged')
}

/** A whole JSON text of bounded length. @throws ArchiveProblem `damaged` */
export async function readJson(bytes: AsyncIterable<Uint8Array>): Promise<unknown> {
  let text = ''
  for await (const piece of decode(bytes)) {
    text += piece
    if (text.length > lineMaxLength) throw new ArchiveProblem('damaged')
  }
  return parse(text)
}

async function* splitLines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let rest = ''
  for await (const piece of decode(bytes)) {
    const lines = (rest + piece).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) yield line
    if (rest.length > lineMaxLength) throw new ArchiveProblem('damaged')
  }
  yield rest
}

async function* decode(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  try {
    for await (const chunk of bytes) yield decoder.decode(chunk, { stream: true })
    yield decoder.decode()
  } catch (cause) {
    throw cause instanceof TypeError ? new ArchiveProblem('damaged', cause) : cause
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new ArchiveProblem('damaged', cause)
  }
}
