import { blankDeleted } from '../../../schema/blank-deleted.ts'
import { limits } from '../../../schema/limits.ts'
import type { MessageDocument } from '../../../schema/message.ts'
import type { EarlyChange } from './message-index.ts'

/** The message with its author's change; the same object if it is older than what stands there. */
export function applyEarlyChange(
  message: MessageDocument,
  change: EarlyChange | undefined,
): MessageDocument {
  const { revokedAt, edit } = change ?? {}
  if (revokedAt !== undefined) return blankDeleted({ ...message, deletedAt: revokedAt })
  if (!edit || (message.editedAt ?? 0) >= edit.at) return message
  const content = edit.content.slice(0, limits.messageMaxCharacters)
  return { ...message, content, editedAt: edit.at }
}
