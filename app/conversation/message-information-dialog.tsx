import type { MessageDocument } from '../../schema/message.ts'
import { describeMessage } from '../ui/describe-message.ts'
import { Dialog } from '../ui/dialog.tsx'
import { formatClockTime, formatDate } from '../ui/format-clock-time.ts'
import { MessageTicks } from '../ui/message-ticks.tsx'
import styles from './dialogs.module.css'

export interface MessageInformationDialogProps {
  message: MessageDocument
  onClose(): void
}

const words = {
  sending: 'Written',
  failed: 'Not sent',
  sent: 'Sent',
  delivered: 'Delivered',
  read: 'Read',
} as const

/** When a message was written, sent, delivered and read. */
export function MessageInformationDialog({ message, onClose }: MessageInformationDialogProps) {
  const history = [...message.statusHistory].sort((a, b) => a.timestamp - b.timestamp)
  const steps = history.filter((step) => step.status !== 'sending')
  return (
    <Dialog title="Message info" text={describeMessage(message)} onClose={onClose}>
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
              <MessageTicks status={step.status} /> {words[step.status]}
            </dt>
            <dd>{formatMoment(step.timestamp)}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}

function formatMoment(time: number): string {
  return `${formatDate(time)} ${formatClockTime(time)}`
}
