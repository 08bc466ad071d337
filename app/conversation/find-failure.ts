import type { MessageDocument } from '../../schema/message.ts'
import { describeMessage } from '../ui/text/describe-message.ts'

export interface Failure {
  /** Unique for each failure, also of the same message. */
  key: string
  words: string
}

/**
 * Finds a failure between two versions of the window: a message that was not sent, or a change that
 * was refused. One that failed before it entered the window is not new.
 */
export function findFailure(
  before: readonly MessageDocument[],
  now: readonly MessageDocument[],
): Failure | undefined {
  for (const message of now.toReversed()) {
    const failure = describeFailure(message)
    if (!failure) continue
    const earlier = before.find(({ _id }) => _id === message._id)
    if (earlier && describeFailure(earlier)?.key !== failure.key) return failure
  }
  return undefined
}

function describeFailure(message: MessageDocument): Failure | undefined {
  const { _id, status, attempt, refused } = message
  if (status === 'failed') {
    const reason = message.error ?? 'Failed to send message'
    return { key: `${_id} ${attempt}`, words: describe('Not sent', message, reason) }
  }
  if (!refused || refused.isDismissed) return undefined
  return {
    key: `${_id} refused ${refused.at}`,
    words: describe('Not changed', message, refused.error),
  }
}

function describe(what: string, message: MessageDocument, reason: string): string {
  const words = describeMessage(message)
  const end = /[\p{Sentence_Terminal}…]$/u.test(words) ? '' : '.'
  // Beneath a message, where nothing else says so, some reasons begin with these words.
  const why = reason.replace(/^Not sent: (.)/, (_, first: string) => first.toUpperCase())
  return `${what}: ${words}${end} ${why}`
}
