import { IconButton } from '../ui/icon-button.tsx'
import styles from './composer.module.css'

interface ComposerBarProps {
  title: string
  text: string
  cancelLabel: string
  onCancel(): void
}

/** What the next message belongs to: the message that is answered, or changed. */
export function ComposerBar({ title, text, cancelLabel, onCancel }: ComposerBarProps) {
  return (
    <div className={styles.bar}>
      <div className={styles.barWords}>
        <p className={styles.barTitle}>{title}</p>
        <p className={styles.barText} dir="auto">
          {text}
        </p>
      </div>
      <IconButton icon="close" label={cancelLabel} isSmall onClick={onCancel} />
    </div>
  )
}
