import type { MessageDocument } from '../../../schema/message.ts'
import type { Messenger } from '../../sync/messenger-types.ts'
import { IconButton } from '../../ui/buttons/icon-button.tsx'
import { describeMessage } from '../../ui/text/describe-message.ts'
import { useLiveMessage } from '../message/use-live-message.ts'
import styles from './composer.module.css'

interface ComposerBarProps {
  title: string
  messenger: Messenger
  message: MessageDocument
  cancelLabel: string
  onCancel(): void
}

/** Shows the message that the next one replies to or edits. */
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
