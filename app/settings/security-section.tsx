import { useRef } from 'react'
import type { Session } from '../../schema/api/auth.ts'
import type { Messenger } from '../sync/messenger-types.ts'
import type { SignIns } from '../sync/people/sign-ins.ts'
import { Button } from '../ui/buttons/button.tsx'
import { formatLastSeen } from '../ui/format/format-last-seen.ts'
import { useLiveValue } from '../ui/hooks/use-live-value.ts'
import { useKeptFocus } from '../ui/layers/use-kept-focus.ts'
import { productName } from '../ui/product.ts'
import { describeDevice } from './describe-device.ts'
import { FactList } from './fact-list.tsx'
import styles from './settings.module.css'
import { useSignIns } from './use-sign-ins.ts'

export interface SecuritySectionProps {
  /** All reject with words for a person. */
  signIns: SignIns & {
    connection: Messenger['connection']
    end(sessionId: string): Promise<void>
    endOthers(): Promise<void>
  }
}

/** Said plainly: whoever takes it for more would write what they should not. */
const facts = [
  {
    name: 'On the way',
    about:
      location.protocol === 'https:'
        ? 'Encrypted between your devices and this server (TLS).'
        : "Not encrypted: this address doesn't begin with https.",
  },
  {
    name: 'On the server',
    about:
      'Not end-to-end encrypted. Whoever runs this server can read your messages and files, and see who writes to whom.',
  },
  {
    name: 'On this device',
    about: `Not encrypted by ${productName}. Anyone who can use this browser can read your chats.`,
  },
  { name: 'Your password', about: 'Kept only as a hash that nobody can read back.' },
]

/** Lists this person's sign-ins and can end each one; says what is encrypted, and what is not. */
export function SecuritySection({ signIns }: SecuritySectionProps) {
  const { found, isOld, error, run } = useSignIns(signIns)
  const isOffline = useLiveValue(signIns.connection).state === 'offline'
  const others = found?.sessions.filter((session) => !session.isCurrent) ?? []

  const section = useRef<HTMLElement>(null)
  useKeptFocus(section, 'li')

  return (
    <section aria-labelledby="sign-ins" ref={section}>
      <h2 id="sign-ins" tabIndex={-1} className={styles.heading}>
        Signed-in devices
      </h2>
      {error && !isOffline && (
        <p className={styles.error} role="alert">
          {error}
        </p>
      )}
      <div role="status">
        {!found && isOffline && (
          <p className={styles.offline}>
            You're offline. Your devices are listed when you're back.
          </p>
        )}
        {!found && !isOffline && !error && <p>Loading...</p>}
        {found && isOld && (
          <p className={isOffline ? styles.offline : styles.note}>
            Last known list, from {formatTime(found.at)}.
            {isOffline && ' Logging out another device needs a connection.'}
          </p>
        )}
      </div>
      <ul className={styles.list}>
        {found?.sessions.toSorted(compareSessions).map((session) => (
          <li key={session._id} className={styles.row}>
            <span className={styles.words}>
              <span>{describeDevice(session.device)}</span>
              <small>
                {session.isCurrent
                  ? 'This device'
                  : `Last used ${formatTime(Date.parse(session.lastUsedAt))}`}
                {` · signed in ${formatTime(Date.parse(session.createdAt))}`}
              </small>
            </span>
            {!session.isCurrent && (
              <Button look="quiet" onClick={() => run(signIns.end(session._id))}>
                Log out
              </Button>
            )}
          </li>
        ))}
      </ul>
      {others.length > 1 && (
        <div className={styles.all}>
          <Button look="danger" onClick={() => run(signIns.endOthers())}>
            Log out all other devices
          </Button>
        </div>
      )}
      <div className={styles.later}>
        <h2 className={styles.heading}>What is encrypted</h2>
        <FactList facts={facts} />
      </div>
    </section>
  )
}

/** This device, then the last used ones. */
function compareSessions(one: Session, other: Session): number {
  if (one.isCurrent !== other.isCurrent) return one.isCurrent ? -1 : 1
  return Date.parse(other.lastUsedAt) - Date.parse(one.lastUsedAt)
}

const formatTime = (time: number) => formatLastSeen(time, Date.now())
