import { Link } from 'react-router-dom'
import type { Messenger } from '../../sync/messenger-types.ts'
import type { OwedChange } from '../../sync/outbox/outbox-types.ts'
import { formatLastSeen } from '../../ui/format/format-last-seen.ts'
import { useLiveValue } from '../../ui/hooks/use-live-value.ts'
import { Icon } from '../../ui/icons/icon.tsx'
import { describeOwed } from './describe-owed.ts'
import styles from './outbox.module.css'

interface OwedRowProps {
  change: OwedChange
  messenger: Messenger
  now: number
}

/** A change of a sent message or of a chat that the server does not have yet. */
export function OwedRow({ change, messenger, now }: OwedRowProps) {
  const { peerId, what, at } = change
  const peer = useLiveValue(messenger.users.get(peerId))
  return (
    <li className={styles.row}>
      <Icon name="clock" size={20} />
      <div className={styles.words}>
        <p className={styles.line}>
          <Link className={styles.name} to={`/chat/${peerId}`} dir="auto">
            {peer?.username ?? 'Unknown'}
          </Link>
          <span className={styles.age}>{formatLastSeen(at, Math.max(now, at))}</span>
        </p>
        <p>{describeOwed(what)}</p>
      </div>
    </li>
  )
}
