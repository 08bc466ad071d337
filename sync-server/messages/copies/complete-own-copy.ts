import { mergeMessages } from '../../../schema/merge-messages.ts'
import type { MessageDocument } from '../../../schema/message.ts'
import { copyForAuthor } from '../../../schema/peer-copy.ts'

/** The author's copy of a delivered message, even if the author holds it for failed. */
export function completeOwnCopy(
  before: MessageDocument | undefined,
  readersCopy: MessageDocument,
): MessageDocument {
  const { _rev, ...copy } = readersCopy as MessageDocument & { _rev?: string }
  const acceptedAt = copy.statusHistory[0]?.timestamp ?? copy.orderedAt
  const own = copyForAuthor(copy, acceptedAt)
  // Delivered means sent, however often its author got a failure.
  const attempt = Math.max(before?.attempt ?? 0, own.attempt)
  return before ? mergeMessages(before, { ...own, attempt }) : own
}
