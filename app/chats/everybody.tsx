import { useMemo, useRef } from 'react'
import type { Messenger } from '../sync/messenger-types.ts'
import { useHeldWhilePressed } from '../ui/hooks/use-held-while-pressed.ts'
import { useLiveValue } from '../ui/hooks/use-live-value.ts'
import { Icon } from '../ui/icons/icon.tsx'
import styles from './chat-list-panel.module.css'
import { PersonLink } from './person-link.tsx'

/** More than this many are found by 'New chat'. */
const shownMost = 30

export interface WaysIn {
  /** Opens the invite link. */
  onInvite(): void
  /** Opens 'New chat', which finds everybody. */
  onNewChat(): void
  /** Makes a group; undefined where the server has none. */
  onNewGroup: (() => void) | undefined
}

interface EverybodyProps extends Omit<WaysIn, 'onNewGroup'> {
  messenger: Messenger
  /** People who are in the list above already. */
  known: ReadonlySet<string>
}

/** The people one can write to and the invitation: until there are a few chats, and while there is none. */
export function Everybody({ messenger, known, onInvite, onNewChat }: EverybodyProps) {
  const section = useRef<HTMLElement>(null)
  const people = useLiveValue(useMemo(() => messenger.users.list(), [messenger]))
  const others = useMemo(() => people.filter(({ _id }) => !known.has(_id)), [people, known])
  const shown = useHeldWhilePressed(section, others)
  return (
    <section ref={section} aria-labelledby="people-heading">
      <header className={styles.peopleHeader}>
        <h2 id="people-heading">
          {shown.length > 0
            ? 'People you can write to'
            : people.length > 0
              ? 'You have a chat with everybody here'
              : 'Nobody else is here yet'}
        </h2>
        <button type="button" className={styles.invite} aria-haspopup="dialog" onClick={onInvite}>
          <Icon name="share" size={18} />
          Invite to chat
        </button>
      </header>
      <ul>
        {shown.slice(0, shownMost).map((person) => (
          <li key={person._id}>
            <PersonLink person={person} messenger={messenger} />
          </li>
        ))}
      </ul>
      {shown.length > shownMost && (
        <button type="button" className={styles.allPeople} onClick={onNewChat}>
          Show everybody
        </button>
      )}
    </section>
  )
}
