import { useRef } from 'react'
import { unreachable } from '../../../schema/helpers/unreachable.ts'
import type { Connection, Messenger } from '../../sync/messenger-types.ts'
import { formatLastSeen } from '../../ui/format/format-last-seen.ts'
import { useLiveValue } from '../../ui/hooks/use-live-value.ts'
import { Icon } from '../../ui/icons/icon.tsx'
import type { IconName } from '../../ui/icons/icon-paths.ts'
import styles from './sync-status.module.css'
import { useNow } from './use-now.ts'

const lastSyncedEveryMs = 15_000
/** Fewer are done before anybody reads a bar. */
const fewest = 20

/** Whether this device has what the server has, and the reverse, in numbers. */
export function SyncStatus({ messenger }: { messenger: Messenger }) {
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
