import type { MessageDocument } from '../../schema/message.ts'
import type { Messenger } from '../sync/messenger.ts'
import { describeMessage } from '../ui/describe-message.ts'
import { IconButton } from '../ui/icon-button.tsx'
import styles from './composer.module.css'
import { useLiveMessage } from './use-live-message.ts'

interface ComposerBarProps {
  title: string
  messenger: Messenger
  message: MessageDocument
  cancelLabel: string
  onCancel(): void
}

/** What the next message belongs to: the message that is answered, or changed. */
export function ComposerBar(props: ComposerBarProps) {
  const message = useLiveMessage(props.messenger, props.message)
  return (
    <div className={styles.bar}>
      <div className={styles.barWords}>
        <p className={styles.barTitle}>{props.title}</p>
        <p className={styles.barText} dir="auto">
          {describeMessage(message)}
        </p>
      </div>
      <IconButton icon="close" label={props.cancelLabel} isSmall onClick={props.onCancel} />
    </div>
  )
}
