import { useState } from 'react'
import { limits } from '../../schema/limits.ts'
import type { MessageDocument } from '../../schema/message.ts'
import { listPeopleByRecency } from '../database/people-by-recency.ts'
import { foldText } from '../database/search/fold-text.ts'
import type { Messenger } from '../sync/messenger.ts'
import { Avatar } from '../ui/avatar.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { useLiveValue } from '../ui/use-live-value.ts'
import styles from './dialogs.module.css'
import { useForwarding } from './use-forwarding.ts'

export interface ForwardDialogProps {
  messenger: Messenger
  messages: readonly MessageDocument[]
  /** Called when every message is kept for everybody chosen. */
  onForwarded(peerIds: readonly string[]): void
  onClose(): void
}

/** Chooses people, and sends each of them the texts. It works without a network, as any message does. */
export function ForwardDialog(props: ForwardDialogProps) {
  const { messenger, onClose } = props
  const [query, setQuery] = useState('')
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const { forward, isReady, error } = useForwarding(props)
  const rows = useLiveValue(messenger.conversations)
  const people = listPeopleByRecency(rows, useLiveValue(messenger.users.list()))
  const wanted = foldText(query.trim())
  const shown = people.filter((person) => foldText(person.username).includes(wanted))

  const toggle = (id: string) => {
    const next = new Set(chosen)
    if (!next.delete(id)) next.add(id)
    setChosen(next)
  }

  return (
    <Dialog title="Forward message to" onClose={onClose}>
      <input
        className={styles.search}
        type="search"
        name="search-people"
        placeholder="Search"
        aria-label="Search people"
        value={query}
        onChange={(event) => setQuery(event.target.value)}
      />
      <ul className={styles.people}>
        {shown.map((person) => (
          <li key={person._id}>
            <label className={styles.person}>
              <Avatar
                name={person.username}
                picture={person.profilePicture ?? undefined}
                size={2.5}
              />
              <span className={styles.personName}>{person.username}</span>
              <input
                type="checkbox"
                checked={chosen.has(person._id)}
                disabled={!chosen.has(person._id) && chosen.size >= limits.forwardRecipientsMax}
                onChange={() => toggle(person._id)}
              />
            </label>
          </li>
        ))}
        {shown.length === 0 && <li className={styles.empty}>No results found</li>}
      </ul>
      {error && (
        <p className={styles.error} role="alert">
          {error}
        </p>
      )}
      <div className={styles.foot}>
        <Button look="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button disabled={chosen.size === 0 || !isReady} onClick={() => void forward([...chosen])}>
          Forward
        </Button>
      </div>
    </Dialog>
  )
}
