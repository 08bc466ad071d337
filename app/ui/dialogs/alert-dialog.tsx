import { Button } from '../buttons/button.tsx'
import styles from './dialog.module.css'
import { Dialog } from './dialog.tsx'

export interface AlertDialogProps {
  text: string
  onClose(): void
}

/** Shows one message that the person must not miss. */
export function AlertDialog({ text, onClose }: AlertDialogProps) {
  return (
    <Dialog title={text} onClose={onClose}>
      <div className={styles.buttons}>
        <Button onClick={onClose}>OK</Button>
      </div>
    </Dialog>
  )
}
