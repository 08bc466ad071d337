import { limits } from '../../../schema/limits.ts'
import type { MessageDocument } from '../../../schema/message.ts'

/** Both people with their pictures and numbers, and the times as text. */
const aroundBytes = 1_500

/** Messages for one answer. `isCut`: some requested ones did not fit. */
export interface Page {
  messages: MessageDocument[]
  isCut: boolean
}

/**
 * Collects messages for one answer, in order of priority, up to `limit` and
 * `limits.answerMaxBytes`; at least one, however large.
 * @param compare sorts them if they do not arrive in order
 */
export function createPage(options: {
  limit: number
  compare?: (a: MessageDocument, b: MessageDocument) => number
}) {
  const { limit, compare } = options
  const state = { kept: [] as { message: MessageDocument; bytes: number }[], isCut: false }

  function cut() {
    let bytes = 0
    const wanted = state.kept.slice(0, limit)
    const end = wanted.findIndex((one, index) => {
      bytes += one.bytes
      return index > 0 && bytes > limits.answerMaxBytes
    })
    if (end !== -1) state.isCut = true
    state.kept = end === -1 ? wanted : wanted.slice(0, end)
  }

  return {
    add(messages: readonly MessageDocument[]) {
      if (messages.length === 0) return
      state.kept.push(...messages.map((message) => ({ message, bytes: measureMessage(message) })))
      if (compare) state.kept.sort((a, b) => compare(a.message, b.message))
      cut()
    },
    /** No further message would fit or rank high enough. */
    isFull: () => state.isCut || state.kept.length >= limit,
    read: (): Page => ({ messages: state.kept.map(({ message }) => message), isCut: state.isCut }),
  }
}

/**
 * About how many bytes a message takes in an answer: at most four a character, or six for one that
 * JSON escapes.
 */
function measureMessage(message: MessageDocument): number {
  return Buffer.byteLength(JSON.stringify(message)) + aroundBytes
}
