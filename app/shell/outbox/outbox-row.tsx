import { memo, useState } from 'react'
import { Link } from 'react-router-dom'
import { isBlank } from '../../../schema/helpers/is-blank.ts'
import type { Messenger } from '../../sync/messenger-types.ts'
import type { OutboxItem, OutboxView } from '../../sync/outbox/outbox-types.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { formatLastSeen } from '../../ui/format/format-last-seen.ts'
import { useLivePart, useLiveValue } from '../../ui/hooks/use-live-value.ts'
import { Icon } from '../../ui/icons/icon.tsx'
import { describeMessage } from '../../ui/text/describe-message.ts'
import { useConcernedName } from '../refused/use-concerned-name.ts'
import { describeRequest } from './describe-request.ts'
import { describeNextTry, describeWait, findWaitReason } from './describe-wait.ts'
import { EditField } from './edit-field.tsx'
import styles from './outbox.module.css'

export interface OutboxRowActions {
  retry(item: OutboxItem): void
  edit(item: OutboxItem, text: string): void
  copy(text: string): void
  discard(item: OutboxItem): void
}

interface OutboxRowProps {
  item: OutboxItem
  isFailed: boolean
  view: OutboxView
  messenger: Messenger
  actions: OutboxRowActions
  /** Epoch ms. */
  now: number
}

/** One thing that waits or was refused: what it is, how old, why, when next, and what can be done. */
export const OutboxRow = memo(function OutboxRow(props: OutboxRowProps) {
  const { item, isFailed, messenger, actions, now } = props
  const [isEditing, setIsEditing] = useState(false)
  const text = findText(item)
  return (
    <li className={styles.row}>
      <Icon name={isFailed ? 'warning' : 'clock'} size={20} />
      <div className={styles.words}>
        <p className={styles.line}>
          <Title item={item} messenger={messenger} />
          <span className={styles.age}>{formatLastSeen(item.at, Math.max(now, item.at))}</span>
        </p>
        {isEditing ? (
          <EditField
            initialText={text}
            onSave={(text) => {
              setIsEditing(false)
              actions.edit(item, text)
            }}
            onCancel={() => setIsEditing(false)}
          />
        ) : (
          <p className={styles.text} dir="auto">
            {describeItem(item)}
          </p>
        )}
        {isFailed ? <p className={styles.reason}>{findRefusal(item)}</p> : <Wait {...props} />}
        {!isEditing && (
          <div className={styles.buttons}>
            {isFailed && item.kind !== 'change' && (
              <Button look="quiet" onClick={() => actions.retry(item)}>
                Retry
              </Button>
            )}
            {canEdit(item) && (
              <Button look="quiet" onClick={() => setIsEditing(true)}>
                Edit
              </Button>
            )}
            {!isBlank(text) && (
              <Button look="quiet" onClick={() => actions.copy(text)}>
                Copy
              </Button>
            )}
            <Button look="quiet" onClick={() => actions.discard(item)}>
              {isFailed ? 'Discard' : 'Cancel'}
            </Button>
          </div>
        )}
      </div>
    </li>
  )
})

function Wait({ item, view, messenger }: OutboxRowProps) {
  const connection = useLiveValue(messenger.connection)
  const upload = useLivePart(messenger.files.uploads, (uploads) => uploads.get(item.id))
  const refusedStatus = view.findRefusedStatus(item.id)
  const refusedWords = view.findRefusedWords(item.id)
  const reason = findWaitReason({ item, connection, upload, refusedStatus, refusedWords })
  const isUnderWay = ['signed-out', 'offline', 'outdated', 'uploading'].includes(reason.kind)
  const ms = isUnderWay ? undefined : view.nextTryInMs(item)
  return (
    <p className={styles.wait}>
      {describeWait(reason)}
      {ms !== undefined && ` ${describeNextTry(ms)}`}
    </p>
  )
}

/** The other person, with the way to the message; for a request, what it does. */
function Title({ item, messenger }: { item: OutboxItem; messenger: Messenger }) {
  if (item.kind === 'request') {
    return <RequestTitle item={item} messenger={messenger} />
  }
  const { peerId, _id } = item.message
  return (
    <Link className={styles.name} to={`/chat/${peerId}`} state={{ messageId: _id }} dir="auto">
      <Name userId={peerId} messenger={messenger} />
    </Link>
  )
}

function Name({ userId, messenger }: { userId: string; messenger: Messenger }) {
  return useLiveValue(messenger.users.get(userId))?.username ?? 'Unknown'
}

function RequestTitle(props: {
  item: Extract<OutboxItem, { kind: 'request' }>
  messenger: Messenger
}) {
  const { request } = props.item.entry
  const name = useConcernedName(request, props.messenger.users)
  return <span className={styles.name}>{describeRequest(request, name)}</span>
}

function describeItem(item: OutboxItem): string {
  if (item.kind === 'message') return describeMessage(item.message)
  return item.kind === 'change' ? `Change: ${findText(item)}` : findText(item)
}

/** The person's own words in it. */
function findText(item: OutboxItem): string {
  if (item.kind === 'message') return item.message.content
  if (item.kind === 'change') return item.message.refused?.content ?? ''
  const { request } = item.entry
  switch (request.kind) {
    case 'report':
      return request.reason
    case 'profile':
      return [request.change.username, request.change.status].filter(Boolean).join(' · ')
    default:
      return ''
  }
}

function canEdit(item: OutboxItem): boolean {
  if (item.kind === 'request') return false
  if (item.kind === 'change') return !isBlank(findText(item))
  return item.message.type !== 'template' && item.message.type !== 'interactive'
}

function findRefusal(item: OutboxItem): string {
  switch (item.kind) {
    case 'message':
      return item.message.error ?? 'Failed to send message'
    case 'change':
      return item.message.refused?.error ?? ''
    case 'request':
      return item.entry.problem?.words ?? ''
  }
}
