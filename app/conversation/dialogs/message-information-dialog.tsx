import { useState } from 'react'
import type { GroupMarks } from '../../../schema/api/groups.ts'
import { findRiseTime } from '../../../schema/api/mark-rises.ts'
import { isAccepted, isIncoming, type MessageDocument } from '../../../schema/message.ts'
import {
  type KnownGroup,
  type KnownMember,
  nameOf,
  pictureOf,
} from '../../database/storage/known-peer.ts'
import type { Messenger } from '../../sync/messenger-types.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { Dialog } from '../../ui/dialogs/dialog.tsx'
import { formatClockTime, formatDate, formatLastSeen } from '../../ui/format/format-times.ts'
import { useAskedValue } from '../../ui/hooks/use-asked-value.ts'
import { useLivePart, useLiveValue } from '../../ui/hooks/use-live-value.ts'
import { MessageTicks } from '../../ui/icons/message-ticks.tsx'
import { Avatar } from '../../ui/people/avatar.tsx'
import { describeMessage } from '../../ui/text/describe-message.ts'
import { useLiveMessage } from '../message/use-live-messages.ts'
import styles from './dialogs.module.css'

export interface MessageInformationDialogProps {
  messenger: Messenger
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
/** In a group a message has reached a status once it has with everybody. */
const groupWords = {
  ...words,
  delivered: 'Delivered to everyone',
  read: 'Read by everyone',
} as const

/** Shows when a message was written, sent, delivered and read; in a group also who has it. */
export function MessageInformationDialog(props: MessageInformationDialogProps) {
  const { messenger } = props
  const message = useLiveMessage(messenger, props.message)
  const group = useLivePart(messenger.peers.get(message.peerId), (peer) =>
    peer?.isGroup ? peer : undefined,
  )
  const { isWhatsApp } = message
  const history = [...message.statusHistory].sort((a, b) => a.timestamp - b.timestamp)
  const steps = history.filter(({ status }) => status !== 'sending')
  const names = group ? groupWords : words
  const isSpread = isAccepted(message) && !isIncoming(message, messenger.userId)
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
              <MessageTicks status={step.status} isWhatsApp={isWhatsApp} /> {names[step.status]}
            </dt>
            <dd>{formatMoment(step.timestamp)}</dd>
          </div>
        ))}
      </dl>
      {group && !group.hasLeft && isSpread && (
        <Receivers messenger={messenger} group={group} message={message} />
      )}
      <div className={styles.foot}>
        <Button look="quiet" onClick={props.onClose}>
          Close
        </Button>
      </div>
    </Dialog>
  )
}

interface ReceiversProps {
  messenger: Messenger
  group: KnownGroup
  message: MessageDocument
}

/** Who of a group has read a message, who has received it, and who has not yet. */
function Receivers({ messenger, group, message }: ReceiversProps) {
  const { groupDesk, userId } = messenger
  const connection = useLivePart(messenger.connection, ({ state }) => state)
  const isLive = connection === 'live'
  const { known, problem } = useAskedValue(groupDesk.marks(group._id), {
    isLive,
    onHint: groupDesk.onHint,
  })
  const sendsReceipts = useLivePart(messenger.settings.values, (values) => values.readReceipts)
  if (!known) {
    return (
      <p role="status" className={styles.note}>
        {connection === 'offline'
          ? "You're offline. Who has it is shown when you're back."
          : (problem ?? 'Loading...')}
      </p>
    )
  }
  const { read, received, waiting } = sortReceivers({
    message,
    members: group.members.filter((one) => one.userId !== userId),
    marks: known.value.marks,
  })
  return (
    <>
      <ReceiverList messenger={messenger} status="read" title="Read by" receivers={read} />
      <ReceiverList
        messenger={messenger}
        status="delivered"
        title="Delivered to"
        receivers={received}
      />
      <ReceiverList
        messenger={messenger}
        status="sent"
        title="Not delivered yet"
        receivers={waiting}
      />
      <p role="status" className={styles.note}>
        {!isLive && `Last known, from ${formatLastSeen(known.at, messenger.now()).toLowerCase()}. `}
        {!sendsReceipts && "Your read receipts are off, so you don't see who has read it."}
      </p>
    </>
  )
}

interface Receiver {
  userId: string
  /** When they read or received it, epoch ms, as far as anybody knows. */
  at?: number
}

/**
 * Where each of the members stands with a message. Who came into the group later has nothing to do
 * with it, and a member whose mark is not known yet has not received it.
 */
export function sortReceivers(given: {
  message: Pick<MessageDocument, 'orderedAt' | 'status'>
  members: readonly KnownMember[]
  marks: GroupMarks['marks']
}): Record<'read' | 'received' | 'waiting', Receiver[]> {
  const { message, members, marks } = given
  const { orderedAt, status } = message
  const known = new Map(marks.map((mark) => [mark.userId, mark]))
  const sorted = { read: [] as Receiver[], received: [] as Receiver[], waiting: [] as Receiver[] }
  for (const { userId, joinedAt } of members) {
    if (Date.parse(joinedAt) > orderedAt) continue
    const mark = known.get(userId)
    const { readUpTo = 0, deliveredUpTo = 0 } = mark ?? {}
    const since = (at: number | undefined): Receiver => ({
      userId,
      ...(at !== undefined && { at }),
    })
    const readAt = () => since(findRiseTime(mark?.readRises, orderedAt))
    const receivedAt = () => since(findRiseTime(mark?.deliveredRises, orderedAt))
    // What the message itself says may be newer than the marks that were asked for.
    if (status === 'read' || readUpTo >= orderedAt) sorted.read.push(readAt())
    else if (status === 'delivered' || deliveredUpTo >= orderedAt)
      sorted.received.push(receivedAt())
    else sorted.waiting.push({ userId })
  }
  return sorted
}

const shownAtFirst = 30

interface ReceiverListProps {
  messenger: Messenger
  title: string
  status: 'read' | 'delivered' | 'sent'
  receivers: readonly Receiver[]
}

function ReceiverList({ messenger, title, status, receivers }: ReceiverListProps) {
  const [isWhole, setIsWhole] = useState(false)
  if (receivers.length === 0) return null
  const shown = isWhole ? receivers : receivers.slice(0, shownAtFirst)
  return (
    <section className={styles.receivers} aria-label={title}>
      <h3>
        <MessageTicks status={status} /> {title}
      </h3>
      <ul>
        {shown.map((receiver) => (
          <ReceiverRow key={receiver.userId} messenger={messenger} receiver={receiver} />
        ))}
      </ul>
      {shown.length < receivers.length && (
        <Button look="quiet" onClick={() => setIsWhole(true)}>
          Show all {receivers.length}
        </Button>
      )}
    </section>
  )
}

function ReceiverRow(props: { messenger: Messenger; receiver: Receiver }) {
  const { userId, at } = props.receiver
  const person = useLiveValue(props.messenger.users.get(userId))
  return (
    <li>
      <Avatar name={nameOf(person)} picture={pictureOf(person)} size={2} />
      <span dir="auto">{nameOf(person)}</span>
      {at !== undefined && <time dateTime={new Date(at).toISOString()}>{formatMoment(at)}</time>}
    </li>
  )
}

function formatMoment(time: number): string {
  return `${formatDate(time)} ${formatClockTime(time)}`
}
