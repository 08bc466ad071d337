import { isAccepted, type MessageDocument } from '../../schema/message.ts'
import { canForward } from '../database/commands/change-message.ts'
import type { Messenger } from '../sync/messenger-types.ts'
import { IconButton } from '../ui/buttons/icon-button.tsx'
import type { OpenDialog } from './dialogs/open-dialog.ts'
import { useDeletion } from './dialogs/use-deletion.ts'
import type { Selection } from './message/use-selection.ts'
import styles from './styles/conversation.module.css'

interface SelectionBarProps {
  messenger: Messenger
  selection: Selection
  onCopy(text: string): void
  onDialog(dialog: OpenDialog): void
}

/** The actions for the selected messages. Copying and forwarding skip deleted ones. */
export function SelectionBar({ messenger, selection, onCopy, onDialog }: SelectionBarProps) {
  const { messages } = selection
  const { removeForAll } = useDeletion({ messenger, selection, onDialog })
  const worded = listWordedMessages(messages)
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
        onClick={() => {
          if (messages.some(isAccepted)) onDialog({ kind: 'delete', messages })
          else void removeForAll(messages)
        }}
      />
    </div>
  )
}

/**
 * The messages with text, oldest first. A deleted message and a picture without a caption have none
 * to copy.
 */
function listWordedMessages(messages: readonly MessageDocument[]): MessageDocument[] {
  return messages
    .filter((message) => message.deletedAt === undefined && message.content.trim() !== '')
    .toSorted((a, b) => a.orderedAt - b.orderedAt)
}
