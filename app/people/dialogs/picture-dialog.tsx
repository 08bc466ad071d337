import { Button } from '../../ui/buttons/button.tsx'
import { Dialog } from '../../ui/dialogs/dialog.tsx'
import styles from './picture-dialog.module.css'

interface PictureDialogProps {
  name: string
  /** An address that the page may show. */
  url: string
  onClose(): void
}

/** A person's picture as large as the screen allows. */
export function PictureDialog({ name, url, onClose }: PictureDialogProps) {
  return (
    <Dialog title={name} isWide onClose={onClose}>
      <img className={styles.picture} src={url} alt={`${name}'s profile`} />
      <div className={styles.foot}>
        <Button look="quiet" onClick={onClose}>
          Close
        </Button>
      </div>
    </Dialog>
  )
}
