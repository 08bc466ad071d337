import { useCallback, useEffect, useState } from 'react'
import type { Session } from '../../schema/api/auth.ts'
import { wordsOf } from '../../schema/helpers/words-of.ts'
import type { Messenger } from '../sync/messenger-types.ts'
import { Button } from '../ui/buttons/button.tsx'
import { formatLastSeen } from '../ui/format/format-last-seen.ts'
import { useLiveValue } from '../ui/hooks/use-live-value.ts'
import { productName } from '../ui/product.ts'
import { describeDevice } from './describe-device.ts'
import { FactList } from './fact-list.tsx'
import styles from './settings.module.css'

export interface SecuritySectionProps {
  messenger: Pick<Messenger, 'connection'>
  /** All reject with words for a person. */
  sessions: {
    list(): Promise<readonly Session[]>
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
export function SecuritySection({ messenger, sessions }: SecuritySectionProps) {
  const { state } = useLiveValue(messenger.connection)
  const isOffline = state === 'offline'
  const [found, setFound] = useState<readonly Session[]>()
  const [error, setError] = useState<string>()
  const load = useCallback(
    () =>
      sessions.list().then(
        (list) => {
          setFound(list)
          setError(undefined)
        },
        (cause: unknown) => setError(wordsOf(cause)),
      ),
    [sessions],
  )
  // Back online, the list is there without a click.
  useEffect(() => void (isOffline || load()), [isOffline, load])
  const run = (work: Promise<void>) =>
    void work.then(load, (cause: unknown) => setError(wordsOf(cause)))
  const others = found?.filter((session) => !session.isCurrent) ?? []

  return (
    <section aria-labelledby="sign-ins">
      <h2 id="sign-ins" className={styles.heading}>
        Signed-in devices
      </h2>
      {isOffline && (
        <p className={styles.offline} role="status">
          {found ? offlineWords.listed : offlineWords.unlisted}
        </p>
      )}
      {error && !isOffline && (
        <p className={styles.error} role="alert">
          {error}
        </p>
      )}
      {!found && !error && !isOffline && <p role="status">Loading...</p>}
      <ul className={styles.list}>
        {found?.toSorted(compareSessions).map((session) => (
          <li key={session._id} className={styles.row}>
            <span className={styles.words}>
              <span>{describeDevice(session.device)}</span>
              <small>
                {session.isCurrent ? 'This device' : `Last used ${formatTime(session.lastUsedAt)}`}
                {` · signed in ${formatTime(session.createdAt)}`}
              </small>
            </span>
            {!session.isCurrent && (
              <Button look="quiet" onClick={() => run(sessions.end(session._id))}>
                Log out
              </Button>
            )}
          </li>
        ))}
      </ul>
      {others.length > 1 && (
        <div className={styles.all}>
          <Button look="danger" onClick={() => run(sessions.endOthers())}>
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

const offlineWords = {
  listed: "You're offline. Logging out another device needs a connection.",
  unlisted: "You're offline. Your devices are listed when you're back.",
}

const formatTime = (time: string) => formatLastSeen(Date.parse(time), Date.now())
