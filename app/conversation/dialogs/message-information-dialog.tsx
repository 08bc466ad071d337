import type { MessageDocument } from '../../../schema/message.ts'
import type { Messenger } from '../../sync/messenger-types.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { Dialog } from '../../ui/dialogs/dialog.tsx'
import { formatClockTime, formatDate } from '../../ui/format/format-times.ts'
import { MessageTicks } from '../../ui/icons/message-ticks.tsx'
import { describeMessage } from '../../ui/text/describe-message.ts'
import { useLiveMessage } from '../message/use-live-messages.ts'
import styles from './dialogs.module.css'

export interface MessageInformationDialogProps {
  messenger: Messenger
  message: MessageDocument
  /** Then nothing is known of who has it, or has read it. */
  isGroup: boolean
  onClose(): void
}

const words = {
  sending: 'Written',
  failed: 'Not sent',
  sent: 'Sent',
  delivered: 'Delivered',
  read: 'Read',
} as const

/** Shows when a message was written, sent, delivered and read; in a group when it was written and sent. */
export function MessageInformationDialog(props: MessageInformationDialogProps) {
  const message = useLiveMessage(props.messenger, props.message)
  const { isWhatsApp } = message
  const history = [...message.statusHistory].sort((a, b) => a.timestamp - b.timestamp)
  const steps = history.filter(
    ({ status }) =>
      status !== 'sending' && (!props.isGroup || (status !== 'delivered' && status !== 'read')),
  )
  return (
    <Dialog title="Message info" text={describeMessage(message)} onClose={props.onClose}>
      <dl className={styles.steps}>
        <div>
          <dt>
            <MessageTicks status="sending" /> {words.sending}
          </dt>
          <dd>{formatMoment(message.createdAt)}</dd>
        </div>
        {steps.map((step) => (
          <div key={`${step.status} ${step.timestamp}`}>
            <dt>
              <MessageTicks status={step.status} isWhatsApp={isWhatsApp} /> {words[step.status]}
            </dt>
            <dd>{formatMoment(step.timestamp)}</dd>
          </div>
        ))}
      </dl>
      <div className={styles.foot}>
        <Button look="quiet" onClick={props.onClose}>
          Close
        </Button>
      </div>
    </Dialog>
  )
}

function formatMoment(time: number): string {
  return `${formatDate(time)} ${formatClockTime(time)}`
}
