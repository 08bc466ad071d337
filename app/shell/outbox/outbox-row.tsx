import { memo, useEffect, useRef, useState } from 'react'
import { Link } from 'react-router-dom'
import type { GroupChange } from '../../../schema/group.ts'
import { unreachable } from '../../../schema/helpers/assertions.ts'
import { isBlank } from '../../../schema/helpers/text.ts'
import { limits } from '../../../schema/limits.ts'
import { isUploadOwed } from '../../../schema/message.ts'
import { nameOf } from '../../database/storage/known-peer.ts'
import type { QueuedRequest } from '../../database/storage/queued-request.ts'
import type { UploadState } from '../../sync/files/uploads.ts'
import type { Connection, Messenger } from '../../sync/messenger-types.ts'
import type { OutboxItem, OutboxView } from '../../sync/outbox/outbox-types.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { formatLastSeen } from '../../ui/format/format-times.ts'
import { useLivePart, useLiveValue } from '../../ui/hooks/use-live-value.ts'
import { Icon } from '../../ui/icons/icon.tsx'
import { productName } from '../../ui/product.ts'
import { describeMessage } from '../../ui/text/describe-message.ts'
import { useConcernedName } from '../notices/refused-requests.tsx'
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
  return nameOf(useLiveValue(messenger.peers.get(userId)))
}

function RequestTitle(props: {
  item: Extract<OutboxItem, { kind: 'request' }>
  messenger: Messenger
}) {
  const { request } = props.item.entry
  const name = useConcernedName(request, props.messenger.peers)
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

/** What a queued request does. `name`: of the person or group concerned. */
function describeRequest(request: QueuedRequest, name: string): string {
  switch (request.kind) {
    case 'profile':
      return 'Change your profile'
    case 'settings':
      return 'Change your settings'
    case 'picture':
      return 'Change your picture'
    case 'block':
      return request.blocked ? `Block ${name}` : `Unblock ${name}`
    case 'report':
      return `Report ${name}`
    case 'forward':
      return 'Forward a message'
    case 'group':
      return describeGroupChange(request.change, name)
    case 'join':
      return request.groupName === undefined
        ? 'Join a group by its link'
        : `Join the group “${request.groupName}”`
    case 'join-answer':
      return request.isAccepted ? `Let ${name} into a group` : `Decline ${name}, who asked to join`
    case 'withdraw-link':
      return `Withdraw the link of “${name}”`
  }
}

function describeGroupChange(change: GroupChange, groupName: string): string {
  switch (change.kind) {
    case 'create':
      return `Create the group “${change.name}”`
    case 'rename':
      return `Rename a group to “${change.name}”`
    case 'picture':
      return `Change the picture of “${groupName}”`
    case 'add':
      return `Add people to “${groupName}”`
    case 'remove':
      return `Remove somebody from “${groupName}”`
    case 'leave':
      return `Leave “${groupName}”`
    default:
      return `Change “${groupName}”`
  }
}

interface EditFieldProps {
  initialText: string
  onSave(text: string): void
  onCancel(): void
}

/** Changes an unsent message's text in its place. */
function EditField({ initialText, onSave, onCancel }: EditFieldProps) {
  const [text, setText] = useState(initialText)
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => field.current?.focus(), [])
  return (
    <form
      className={styles.edit}
      onSubmit={(event) => {
        event.preventDefault()
        onSave(text)
      }}
    >
      <textarea
        ref={field}
        aria-label="Message text"
        rows={3}
        dir="auto"
        maxLength={limits.messageMaxCharacters}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return
          event.preventDefault()
          onCancel()
        }}
      />
      <span className={styles.buttons}>
        <Button look="quiet" onClick={onCancel}>
          Cancel edit
        </Button>
        <Button type="submit">Save</Button>
      </span>
    </form>
  )
}

/** Every reason why something waits. */
type WaitReason =
  | { kind: 'signed-out' }
  | { kind: 'offline' }
  | { kind: 'outdated' }
  | { kind: 'refused-on-the-way'; status: number }
  | { kind: 'uploading'; share: number | undefined }
  | { kind: 'told'; words: string }
  | { kind: 'behind-file' }
  | { kind: 'no-server' }
  | { kind: 'sending' }

/** Why an item waits, the most decisive reason first. */
export function findWaitReason(of: {
  item: OutboxItem
  connection: Pick<Connection, 'state' | 'words'>
  upload: UploadState | undefined
  /** The status with which its push keeps being refused. */
  refusedStatus: number | undefined
  /** The server's own reason, if it is the server that refuses it. */
  refusedWords?: string | undefined
}): WaitReason {
  const { item, connection, upload, refusedStatus, refusedWords } = of
  const { state } = connection
  if (state === 'signed-out' || state === 'offline' || state === 'outdated') return { kind: state }
  if (refusedWords !== undefined) return { kind: 'told', words: refusedWords }
  if (refusedStatus !== undefined) return { kind: 'refused-on-the-way', status: refusedStatus }
  if (item.kind === 'message' && isUploadOwed(item.message)) {
    if (upload?.kind === 'uploading') return { kind: 'uploading', share: upload.share }
    if (upload?.words !== undefined) return { kind: 'told', words: upload.words }
  }
  if (item.kind === 'message' && item.isBehindFile) return { kind: 'behind-file' }
  if (item.kind === 'request' && item.entry.problem) {
    return { kind: 'told', words: item.entry.problem.words }
  }
  if (state === 'trouble' && connection.words !== undefined) {
    return { kind: 'told', words: connection.words }
  }
  return state === 'connecting' || state === 'trouble' ? { kind: 'no-server' } : { kind: 'sending' }
}

export function describeWait(reason: WaitReason): string {
  switch (reason.kind) {
    case 'signed-out':
      return 'Sends after you sign in again.'
    case 'offline':
      return "Sends when you're back online."
    case 'outdated':
      return `Sends when you've updated ${productName}.`
    case 'refused-on-the-way':
      return `Your network didn't let it through (answer ${reason.status}).`
    case 'uploading':
      return reason.share === undefined
        ? 'Uploading the file…'
        : `Uploading the file… ${Math.floor(reason.share * 100)} %`
    case 'told':
      return reason.words
    case 'behind-file':
      return 'Sends after the file before it.'
    case 'no-server':
      return "Can't reach the server."
    case 'sending':
      return 'Sending…'
    default:
      return unreachable(reason)
  }
}

/** When this device tries again by itself. `ms`: how long it waits still. */
export function describeNextTry(ms: number): string {
  const seconds = Math.max(1, Math.ceil(ms / 1_000))
  if (seconds < 90) return `Next try in ${seconds} second${seconds === 1 ? '' : 's'}.`
  return `Next try in ${Math.round(seconds / 60)} minutes.`
}
