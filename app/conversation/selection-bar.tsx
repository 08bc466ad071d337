import { IconButton } from '../ui/icon-button.tsx'
import styles from './conversation.module.css'

interface SelectionBarProps {
  count: number
  /** Deleting is offered when all the selected messages are own ones. */
  canDelete: boolean
  onDelete(): void
  onForward(): void
  onCopy(): void
  onCancel(): void
}

export function SelectionBar(props: SelectionBarProps) {
  return (
    <div className={styles.selectionBar} role="toolbar" aria-label="Selected messages">
      <IconButton icon="close" label="Cancel selection" onClick={props.onCancel} />
      <p className={styles.selectionCount} role="status">
        {props.count} selected
      </p>
      <IconButton icon="copy" label="Copy" onClick={props.onCopy} />
      <IconButton icon="forward" label="Forward" onClick={props.onForward} />
      <IconButton
        icon="trash"
        label="Delete"
        disabled={!props.canDelete}
        onClick={props.onDelete}
      />
    </div>
  )
}
