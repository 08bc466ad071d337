import { Button } from '../../ui/buttons/button.tsx'
import { Dialog } from '../../ui/dialogs/dialog.tsx'
import styles from './dialogs.module.css'

export interface DeleteDialogProps {
  count: number
  /** Only what this person wrote can be deleted for the other one. */
  canDeleteForAll: boolean
  isWhatsApp: boolean
  onForMe(): void
  onForAll(): void
  onClose(): void
}

/** Asks whether messages are deleted for everyone or for this person alone. */
export function DeleteDialog(props: DeleteDialogProps) {
  const { count, canDeleteForAll, onForMe, onForAll, onClose } = props
  const text = describe(props)
  const choose = (remove: () => void) => () => {
    remove()
    onClose()
  }
  return (
    <Dialog
      title={count > 1 ? `Delete ${count} messages?` : 'Delete message?'}
      {...(text && { text })}
      onClose={onClose}
    >
      <div className={styles.choices}>
        {canDeleteForAll && (
          <Button look="danger" onClick={choose(onForAll)}>
            Delete for everyone
          </Button>
        )}
        <Button look={canDeleteForAll ? 'quiet' : 'danger'} onClick={choose(onForMe)}>
          Delete for me
        </Button>
        <Button look="quiet" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </Dialog>
  )
}

function describe({ count, canDeleteForAll, isWhatsApp }: DeleteDialogProps): string | undefined {
  if (isWhatsApp) return 'On WhatsApp the other person keeps a copy.'
  return canDeleteForAll && count > 1 ? "For everyone can't be undone." : undefined
}
