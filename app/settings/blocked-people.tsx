import { useMemo, useRef } from 'react'
import type { Messenger } from '../sync/messenger-types.ts'
import { Button } from '../ui/buttons/button.tsx'
import { useLiveValue } from '../ui/hooks/use-live-value.ts'
import { Avatar } from '../ui/people/avatar.tsx'
import styles from './settings.module.css'

interface BlockedPeopleProps {
  messenger: Pick<Messenger, 'blocked' | 'users' | 'requests'>
}

/** The people this person blocks, with a way to end it; also known offline. */
export function BlockedPeople({ messenger }: BlockedPeopleProps) {
  const blocked = useLiveValue(messenger.blocked)
  const heading = useRef<HTMLHeadingElement>(null)

  function unblock(userId: string) {
    void messenger.requests.add({ kind: 'block', userId, blocked: false })
    // The button goes away with its row.
    heading.current?.focus()
  }

  return (
    <section aria-labelledby="blocked-people" className={styles.later}>
      <h2 id="blocked-people" ref={heading} tabIndex={-1} className={styles.heading}>
        Blocked people
      </h2>
      {blocked.length === 0 ? (
        <p className={styles.note}>You haven't blocked anyone.</p>
      ) : (
        <ul className={styles.list}>
          {blocked.map((userId) => (
            <BlockedRow
              key={userId}
              userId={userId}
              users={messenger.users}
              onUnblock={() => unblock(userId)}
            />
          ))}
        </ul>
      )}
    </section>
  )
}

function BlockedRow(props: { userId: string; users: Messenger['users']; onUnblock(): void }) {
  const { userId, users, onUnblock } = props
  const person = useLiveValue(useMemo(() => users.get(userId), [users, userId]))
  const name = person?.username ?? 'Somebody'
  return (
    <li className={styles.row}>
      <Avatar name={name} picture={person?.profilePicture ?? undefined} size={2.5} />
      <span className={styles.words}>{name}</span>
      <Button look="quiet" aria-label={`Unblock ${name}`} onClick={onUnblock}>
        Unblock
      </Button>
    </li>
  )
}
