import { useCallback, useEffect, useRef, useState } from 'react'
import type { Session } from '../../schema/api/auth.ts'
import { wordsOf } from '../../schema/helpers/text.ts'
import type { Messenger } from '../sync/messenger-types.ts'
import type { KnownSignIns, SignIns } from '../sync/people/sign-ins.ts'
import { Button } from '../ui/buttons/button.tsx'
import { formatLastSeen } from '../ui/format/format-times.ts'
import { useLasting } from '../ui/hooks/use-lasting.ts'
import { useLiveValue } from '../ui/hooks/use-live-value.ts'
import { useKeptFocus } from '../ui/layers/use-kept-focus.ts'
import { productName } from '../ui/product.ts'
import { describeDevice } from './describe-device.ts'
import styles from './settings.module.css'
import { FactList } from './settings-row.tsx'

/** How long the newest list may take before the known one is called older. */
const lateAfterMs = 2_000

export interface SecuritySectionProps {
  /** All reject with words for a person. */
  signIns: SignIns & {
    connection: Messenger['connection']
    end(sessionId: string): Promise<void>
    endOthers(): Promise<void>
  }
  /** Is what this person writes sealed, where the other side has keys? */
  isSealed: boolean
}

/** Said plainly: whoever takes it for more would write what they should not. */
const listFacts = (isSealed: boolean) => [
  ...(isSealed ? sealedFacts : plainFacts),
  {
    name: 'On the way',
    about:
      location.protocol === 'https:'
        ? 'Encrypted between your devices and this server (TLS).'
        : "Not encrypted: this address doesn't begin with https.",
  },
  {
    name: 'On this device',
    about: `Not encrypted by ${productName}. Anyone who can use this browser can read your chats.`,
  },
  {
    name: 'Your password',
    about:
      'It never leaves your devices when you use the app. The server is shown a secret made from it, and keeps a hash of that. A script that sends the password itself tells it to the server.',
  },
]

const plainFacts = [
  {
    name: 'On the server',
    about:
      'Not end-to-end encrypted. Whoever runs this server can read your messages and files, and see who writes to whom.',
  },
]

const sealedFacts = [
  {
    name: 'End-to-end encrypted',
    about:
      'Messages, reactions, files and their names in chats with people who have keys. Only the two of you can read them: not whoever runs this server, nor anyone who takes its data or backups, nor the services that deliver notifications.',
  },
  {
    name: 'What the server still sees',
    about:
      'Who you write to, when and how much, when messages are delivered and read, and your profile.',
  },
  {
    name: 'Not encrypted',
    about:
      'Chats over WhatsApp and chats with people who have no keys yet: they say so above the message field. What was written before both of you had keys: each message says so. And the messages that you show when you report someone.',
  },
  {
    name: "What it can't protect you from",
    about:
      "Whoever serves this app could serve a changed one. Someone who gets your password or your recovery key can read all your messages, also the older ones. And only comparing the security code, in a chat's contact info, tells you that a key is really that person's.",
  },
]

/** Lists this person's sign-ins and can end each one; says what is encrypted, and what is not. */
export function SecuritySection({ signIns, isSealed }: SecuritySectionProps) {
  const { found, isOld, error, run } = useSignIns(signIns)
  const isOffline = useLiveValue(signIns.connection).state === 'offline'
  const others = found?.sessions.filter((session) => !session.isCurrent) ?? []

  const section = useRef<HTMLElement>(null)
  useKeptFocus(section, 'li')

  return (
    <section aria-labelledby="sign-ins" className={styles.later} ref={section}>
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
        {found && isOld && (
          <p className={isOffline ? styles.offline : styles.note}>
            Last known list, from {formatTime(found.at)}.
            {isOffline && ' Logging out another device needs a connection.'}
          </p>
        )}
      </div>
      <ul className={styles.list}>
        {!found && !isOffline && !error && (
          // As high as the row that comes in its place, so that nothing beneath moves.
          <li className={styles.row}>
            <span role="status">Loading...</span>
          </li>
        )}
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
        <FactList facts={listFacts(isSealed)} />
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

/** The signed-in devices: what is known at once, then what the server says, again at each connection. */
function useSignIns(signIns: SecuritySectionProps['signIns']) {
  const { state } = useLiveValue(signIns.connection)
  const isLive = state === 'live'
  const [isAsking, setIsAsking] = useState(false)
  const isComing = isAsking || state === 'starting' || state === 'connecting'
  const isLate = useLasting(isComing, lateAfterMs)
  const [found, setFound] = useState<KnownSignIns & { isFresh?: boolean }>()
  const [error, setError] = useState<string>()
  /** An answer that comes after a later one counts for nothing. */
  const latest = useRef(0)

  const load = useCallback(async () => {
    const turn = ++latest.current
    setIsAsking(true)
    const kept = await signIns.readKnown().catch(() => undefined)
    if (turn !== latest.current) return
    setFound((now) => now ?? kept)
    try {
      const known = await signIns.read()
      if (turn !== latest.current) return
      setFound({ ...known, isFresh: true })
      setError(undefined)
    } catch (cause) {
      if (turn !== latest.current) return
      setFound(kept)
      setError(kept ? undefined : wordsOf(cause))
    }
    setIsAsking(false)
  }, [signIns])

  // Asked without a connection too: it fails at once then.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new connection asks again
  useEffect(() => void load(), [load, isLive])

  const run = (work: Promise<void>) =>
    void work.then(load, (cause: unknown) => setError(wordsOf(cause)))

  /** It may have changed since. Not said while a newer one may come: the note would move the list down and up again. */
  const isOld = found !== undefined && !(found.isFresh && isLive) && (!isComing || isLate)

  return { found, isOld, error, run }
}
