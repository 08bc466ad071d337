import { Button } from '../buttons/button.tsx'
import styles from './dialog.module.css'
import { Dialog } from './dialog.tsx'

export interface ConfirmDialogProps {
  title: string
  text?: string
  confirmLabel: string
  isDanger?: boolean
  onConfirm(): void
  onClose(): void
}

export function ConfirmDialog(props: ConfirmDialogProps) {
  return (
    <Dialog
      title={props.title}
      {...(props.text ? { text: props.text } : {})}
      onClose={props.onClose}
    >
      <div className={styles.buttons}>
        <Button look="quiet" onClick={props.onClose}>
          Cancel
        </Button>
        <Button
          look={props.isDanger ? 'danger' : 'primary'}
          onClick={() => {
            props.onConfirm()
            props.onClose()
          }}
        >
          {props.confirmLabel}
        </Button>
      </div>
    </Dialog>
  )
}
