import type { MessageDocument } from '../../../schema/message.ts'
import type { Messenger } from '../../sync/messenger-types.ts'
import type { Selection } from '../message/use-selection.ts'
import type { OpenDialog } from './open-dialog.ts'
import { removeMessages } from './remove-messages.ts'

interface DeletionOptions {
  messenger: Messenger
  selection: Selection
  onDialog(dialog: OpenDialog): void
}

/**
 * Deletes the selected messages. Those that this device cannot delete are selected again, with a
 * notice.
 */
export function useDeletion({ messenger, selection, onDialog }: DeletionOptions) {
  return async (messages: readonly MessageDocument[]) => {
    selection.clear()
    const failed = await removeMessages(messenger, messages)
    if (failed.length === 0) return
    selection.select(failed)
    onDialog({ kind: 'delete-failed' })
  }
}
