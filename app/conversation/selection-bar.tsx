import type { MessageDocument } from '../../schema/message.ts'
import { canForward } from '../database/commands/forwarding.ts'
import type { Messenger } from '../sync/messenger-types.ts'
import { IconButton } from '../ui/buttons/icon-button.tsx'
import type { OpenDialog } from './dialogs/open-dialog.ts'
import { useDeletion } from './dialogs/use-deletion.ts'
import { listWordedMessages } from './message/list-worded-messages.ts'
import type { Selection } from './message/use-selection.ts'
import styles from './styles/conversation.module.css'

interface SelectionBarProps {
  messenger: Messenger
  selection: Selection
  onCopy(text: string): void
  onDialog(dialog: OpenDialog): void
}

/** The actions for the selected messages. Deleted ones are skipped. */
export function SelectionBar({ messenger, selection, onCopy, onDialog }: SelectionBarProps) {
  const { messages } = selection
  const remove = useDeletion({ messenger, selection, onDialog })
  const worded = listWordedMessages(messages)
  const deletable = messages.filter((message) => message.deletedAt === undefined)
  const isOwn = (message: MessageDocument) => message.senderId === messenger.userId
  return (
    <div className={styles.selectionBar} role="toolbar" aria-label="Selected messages">
      <IconButton icon="close" label="Cancel selection" onClick={selection.clear} />
      <p className={styles.selectionCount} role="status">
        {messages.length} selected
      </p>
      <IconButton
        icon="copy"
        label="Copy"
        disabled={worded.length === 0}
        onClick={() => {
          onCopy(worded.map(({ content }) => content).join('\n'))
          selection.clear()
        }}
      />
      <IconButton
        icon="forward"
        label="Forward"
        disabled={!messages.some(canForward)}
        onClick={() => onDialog({ kind: 'forward', messages })}
      />
      <IconButton
        icon="trash"
        label="Delete"
        disabled={deletable.length === 0 || !deletable.every(isOwn)}
        onClick={() => {
          // Deletes one message immediately, as its menu does; for several, asks first: a slip is
          // easy.
          if (deletable.length > 1) onDialog({ kind: 'delete', messages: deletable })
          else void remove(deletable)
        }}
      />
    </div>
  )
}
