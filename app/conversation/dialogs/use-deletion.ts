import { isAccepted, type MessageDocument } from '../../../schema/message.ts'
import type { Messenger } from '../../sync/messenger-types.ts'
import type { Selection } from '../message/use-selection.ts'
import type { OpenDialog } from './open-dialog.ts'

interface DeletionOptions {
  messenger: Messenger
  selection: Selection
  onDialog(dialog: OpenDialog): void
}

/**
 * Deletes messages. Those that this device cannot delete are selected again if they were, with a
 * notice.
 */
export function useDeletion({ messenger, selection, onDialog }: DeletionOptions) {
  async function settle(removing: Promise<readonly MessageDocument[]>) {
    const { isSelecting } = selection
    selection.clear()
    const failed = await removing
    if (failed.length === 0) return
    if (isSelecting) selection.select(failed)
    onDialog({ kind: 'delete-failed', isSelected: isSelecting })
  }
  return {
    removeForAll: (messages: readonly MessageDocument[]) =>
      settle(removeMessages(messenger, messages)),
    removeForMe: (messages: readonly MessageDocument[]) => settle(removeForMe(messenger, messages)),
  }
}

/** Can they be deleted for both? WhatsApp takes nothing back from the other person. */
export function canDeleteForAll(
  messages: readonly MessageDocument[],
  { userId }: Pick<Messenger, 'userId'>,
): boolean {
  return messages.every(
    ({ senderId, deletedAt, isWhatsApp }) =>
      senderId === userId && deletedAt === undefined && !isWhatsApp,
  )
}

/** One that was never sent has nobody else: it is discarded. */
async function removeForMe(
  messenger: Pick<Messenger, 'commands' | 'undo'>,
  messages: readonly MessageDocument[],
): Promise<MessageDocument[]> {
  const [failed, kept] = await Promise.all([
    messenger.undo.hideMessages(messages.filter(isAccepted)),
    removeMessages(
      messenger,
      messages.filter((message) => !isAccepted(message)),
    ),
  ])
  return [...failed, ...kept]
}

/**
 * Deletes all of them, a single one with Undo, and returns those that this device could not delete.
 */
export async function removeMessages(
  { commands, undo }: Pick<Messenger, 'commands' | 'undo'>,
  messages: readonly MessageDocument[],
): Promise<MessageDocument[]> {
  const outcomes = await Promise.allSettled(
    messages.map((message) =>
      messages.length === 1 ? undo.removeMessage(message) : commands.deleteMessage(message._id),
    ),
  )
  return messages.filter((_, index) => outcomes[index]?.status === 'rejected')
}
