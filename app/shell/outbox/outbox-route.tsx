import { useEffect, useRef, useState } from 'react'
import { Link } from 'react-router-dom'
import { unreachable } from '../../../schema/helpers/assertions.ts'
import { wordsOf } from '../../../schema/helpers/text.ts'
import { nameOf } from '../../database/storage/known-peer.ts'
import type { Connection, Messenger } from '../../sync/messenger-types.ts'
import type { OutboxView, OwedChange, OwedWhat } from '../../sync/outbox/outbox-types.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { formatLastSeen } from '../../ui/format/format-times.ts'
import { useLivePart, useLiveValue } from '../../ui/hooks/use-live-value.ts'
import { Icon } from '../../ui/icons/icon.tsx'
import type { IconName } from '../../ui/icons/icon-paths.ts'
import { useKeptFocus } from '../../ui/layers/use-kept-focus.ts'
import { Page } from '../../ui/layout/page.tsx'
import { copyText } from '../../ui/text/copy-text.ts'
import { PageFrame } from '../layout/page-frame.tsx'
import { useWayUp } from '../navigation/use-way-up.tsx'
import { UndoSnackbar } from '../notices/undo-snackbar.tsx'
import { useMessenger } from '../session/messenger-context.tsx'
import outboxStyles from './outbox.module.css'
import { OutboxRow, type OutboxRowActions } from './outbox-row.tsx'
import styles from './sync-status.module.css'

const words: Record<OwedWhat, string> = {
  deleted: 'Message deleted',
  edited: 'Message edited',
  starred: 'Message starred',
  unstarred: 'Star removed',
  hidden: 'Message deleted for you',
  unhidden: 'Message brought back',
  reacted: 'Reaction changed',
  read: 'Chat read',
  cleared: 'Chat cleared',
  pinned: 'Chat pinned',
  unpinned: 'Chat unpinned',
  archived: 'Chat archived',
  unarchived: 'Chat unarchived',
  muted: 'Chat muted',
  unmuted: 'Chat unmuted',
}

const stillOffline = "You're still offline. Everything here is sent when you're back."

const lastSyncedEveryMs = 15_000

/** Fewer are done before anybody reads a bar. */
const fewest = 20

/** Everything that waits or was refused, over all chats. */
export function OutboxRoute() {
  const messenger = useMessenger()
  const goUp = useWayUp()
  const [view, setView] = useState<OutboxView>()
  const list = useRef<HTMLDivElement>(null)
  useKeptFocus(list, 'li')
  useEffect(() => {
    let isOver = false
    let opened: OutboxView | undefined
    void messenger.openOutbox().then((view) => {
      opened = view
      if (isOver) view.close()
      else setView(view)
    })
    return () => {
      isOver = true
      opened?.close()
    }
  }, [messenger])
  return (
    <PageFrame section="outbox" title="Outbox">
      <Page title="Outbox" backLabel="Back to chats" onBack={() => goUp({ to: '/chat' })}>
        <SyncStatus messenger={messenger} />
        <div ref={list}>{view && <OutboxList view={view} messenger={messenger} />}</div>
      </Page>
      <UndoSnackbar isOverList />
    </PageFrame>
  )
}

/** Whether this device has what the server has, and the reverse, in numbers. */
function SyncStatus({ messenger }: { messenger: Messenger }) {
  const connection = useLiveValue(messenger.connection)
  const { waiting } = useLiveValue(messenger.outbox)
  const now = useNow(lastSyncedEveryMs)
  const { comingCount = 0, lastSyncedAt } = connection
  const { words, icon } = describeSync(connection, waiting)
  return (
    <section className={styles.card} aria-label="Sync status">
      <p className={styles.state} role="status">
        <Icon name={icon} />
        {words}
      </p>
      <dl className={styles.facts}>
        <div>
          <dt>Last synced</dt>
          <dd>{formatLastSeen(lastSyncedAt, Math.max(now, lastSyncedAt ?? 0))}</dd>
        </div>
        <div>
          <dt>To send</dt>
          <dd>{waiting.toLocaleString('en')}</dd>
        </div>
        <div>
          <dt>To receive</dt>
          <dd>{comingCount.toLocaleString('en')}</dd>
        </div>
      </dl>
      <Progress label="Receiving" left={comingCount} />
      <Progress label="Sending" left={waiting} />
    </section>
  )
}

/** How far a long sync is, since it was first seen. */
function Progress({ label, left }: { label: string; left: number }) {
  const total = useRef(0)
  total.current = left === 0 ? 0 : Math.max(total.current, left)
  if (total.current < fewest) return null
  const done = total.current - left
  const words = `${done.toLocaleString('en')} of ${total.current.toLocaleString('en')}`
  return (
    <p className={styles.progress}>
      <span>{label}</span>
      <span>{words}</span>
      <progress aria-label={`${label}: ${words}`} value={done} max={total.current} />
    </p>
  )
}

function describeSync(connection: Connection, waiting: number): { words: string; icon: IconName } {
  const { state, comingCount = 0, words } = connection
  switch (state) {
    case 'starting':
      return { words: 'Starting…', icon: 'clock' }
    case 'connecting':
      return { words: 'Connecting…', icon: 'cloudOff' }
    case 'offline':
      return { words: "You're offline.", icon: 'cloudOff' }
    case 'outdated':
      return { words: 'Update to go on.', icon: 'warning' }
    case 'signed-out':
      return { words: "You've been signed out.", icon: 'warning' }
    case 'trouble':
      return { words: words ?? "Can't reach the server.", icon: 'warning' }
    case 'live':
      if (words !== undefined) return { words, icon: 'warning' }
      if (comingCount > 0) return { words: 'Loading new messages…', icon: 'download' }
      if (waiting > 0) return { words: 'Sending…', icon: 'send' }
      return { words: 'Everything is in sync.', icon: 'check' }
    default:
      return unreachable(state)
  }
}

interface OutboxListProps {
  view: OutboxView
  messenger: Messenger
}

/** What was not sent, what waits, and what waits to change on the server. */
function OutboxList({ view, messenger }: OutboxListProps) {
  const page = useLiveValue(view.page)
  const counts = useLiveValue(messenger.outbox)
  const [said, setSaid] = useState('')
  const isOffline = useLivePart(messenger.connection, ({ state }) => state === 'offline')
  useEffect(() => {
    if (!isOffline) setSaid((now) => (now === stillOffline ? '' : now))
  }, [isOffline])
  const now = useNow(1_000)
  if (!page) {
    return (
      <p className={outboxStyles.loading} role="status">
        Loading...
      </p>
    )
  }

  const run = (work: Promise<unknown>, done = '') =>
    void work.then(
      () => setSaid(done),
      (cause: unknown) => setSaid(wordsOf(cause)),
    )
  const { commands, requests, undo } = messenger
  const actions: OutboxRowActions = {
    retry(item) {
      if (item.kind === 'request') run(requests.retry(item.id))
      else run(commands.retryMessage(item.id))
    },
    edit: (item, text) => run(saveEdit(messenger, { item, text })),
    copy: (text) =>
      run(
        copyText(text).then((isCopied) => {
          if (!isCopied) throw new Error("Couldn't copy the text.")
        }),
        'Copied',
      ),
    discard(item) {
      if (item.kind === 'request') run(undo.removeRequest(item.entry))
      else if (item.kind === 'change') run(commands.dismissRefusal(item.id))
      else run(undo.removeMessage(item.message))
    },
  }
  const row = { view, messenger, actions, now }
  const { failed, waiting, changes, hasMore } = page
  const isEmpty = failed.length + waiting.length + changes.length === 0
  return (
    <div className={outboxStyles.outbox}>
      <p className={outboxStyles.said} role="status">
        {said}
      </p>
      {isEmpty && (
        <h2 className={outboxStyles.empty} tabIndex={-1}>
          Nothing is waiting. Everything was sent.
        </h2>
      )}
      {failed.length > 0 && (
        <section aria-labelledby="not-sent">
          <header className={outboxStyles.header}>
            <h2
              id="not-sent"
              tabIndex={-1}
            >{`Not sent · ${counts.failed.toLocaleString('en')}`}</h2>
            {failed.some(({ kind }) => kind !== 'change') && (
              <Button look="quiet" onClick={() => run(view.sendAllAgain())}>
                Send all again
              </Button>
            )}
          </header>
          <ul className={outboxStyles.list}>
            {failed.map((item) => (
              <OutboxRow key={item.id} item={item} isFailed {...row} />
            ))}
          </ul>
        </section>
      )}
      {waiting.length + changes.length > 0 && (
        <section aria-labelledby="waiting">
          <header className={outboxStyles.header}>
            <h2
              id="waiting"
              tabIndex={-1}
            >{`Waiting · ${(counts.waiting + changes.length).toLocaleString('en')}`}</h2>
            <Button
              look="quiet"
              onClick={() => {
                messenger.sendNow()
                setSaid(isOffline ? stillOffline : '')
              }}
            >
              Try now
            </Button>
          </header>
          <ul className={outboxStyles.list}>
            {waiting.map((item) => (
              <OutboxRow key={item.id} item={item} isFailed={false} {...row} />
            ))}
            {changes.map((change) => (
              <OwedRow key={change.id} change={change} messenger={messenger} now={now} />
            ))}
          </ul>
        </section>
      )}
      {hasMore && (
        <Button look="quiet" onClick={view.showMore}>
          Show more
        </Button>
      )}
    </div>
  )
}

/** A refused change of a sent message is made again; its notice is then done with. */
async function saveEdit(
  { commands }: Messenger,
  { item, text }: { item: { id: string; kind: string }; text: string },
): Promise<void> {
  await commands.editMessage(item.id, text)
  if (item.kind === 'change') await commands.dismissRefusal(item.id)
}

interface OwedRowProps {
  change: OwedChange
  messenger: Messenger
  now: number
}

/** A change of a sent message or of a chat that the server does not have yet. */
function OwedRow({ change, messenger, now }: OwedRowProps) {
  const { peerId, what, at } = change
  const peer = useLiveValue(messenger.peers.get(peerId))
  return (
    <li className={outboxStyles.row}>
      <Icon name="clock" size={20} />
      <div className={outboxStyles.words}>
        <p className={outboxStyles.line}>
          <Link className={outboxStyles.name} to={`/chat/${peerId}`} dir="auto">
            {nameOf(peer)}
          </Link>
          <span className={outboxStyles.age}>{formatLastSeen(at, Math.max(now, at))}</span>
        </p>
        <p>{describeOwed(what)}</p>
      </div>
    </li>
  )
}

/** What waiting changes of one message or chat do. */
function describeOwed(what: readonly OwedWhat[]): string {
  return what.map((each) => words[each]).join(' · ')
}

/** The time, epoch ms; rerenders this often. */
function useNow(everyMs: number): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return now
}
