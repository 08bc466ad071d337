import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { Virtualizer } from 'virtua'
import { limits } from '../../schema/limits.ts'
import { isSearchable } from '../database/search/search-query.ts'
import type { Messenger } from '../sync/messenger-types.ts'
import { Button } from '../ui/buttons/button.tsx'
import { Dialog } from '../ui/dialogs/dialog.tsx'
import { useArrowKeys } from '../ui/hooks/use-arrow-keys.ts'
import { useDebounced } from '../ui/hooks/use-debounced.ts'
import { useLivePart, useLiveValue } from '../ui/hooks/use-live-value.ts'
import { Icon } from '../ui/icons/icon.tsx'
import type { IconName } from '../ui/icons/icon-paths.ts'
import styles from './new-chat-dialog.module.css'
import { PersonLink } from './person-link.tsx'
import { useBoxArrows } from './use-box-arrows.ts'
import { usePeopleSearch } from './use-people-search.ts'

const phone = /^\+?[\d\s().-]+$/

interface NewChatDialogProps {
  messenger: Messenger
  /** Opens 'Search by Phone Number' in this one's place. */
  onPhoneSearch(): void
  /** Chooses the people of a group in this one's place; undefined where the server has none. */
  onNewGroup: (() => void) | undefined
  /** Opens the invite link in this one's place. */
  onInvite(): void
  onClose(): void
}

/** Finds somebody to chat with, by name, email address or phone number. */
export function NewChatDialog(props: NewChatDialogProps) {
  const { messenger, onClose } = props
  const [query, setQuery] = useState('')
  const body = useRef<HTMLDivElement>(null)
  useBoxArrows(body, 'button, a')
  useArrowKeys(body, 'button, a')
  return (
    <Dialog title="New chat" onClose={onClose}>
      <div className={styles.body} ref={body}>
        <input
          className={styles.search}
          type="search"
          name="new-chat"
          placeholder="Name, email or phone number"
          aria-label="Name, email or phone number"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
        <div className={styles.ways}>
          {props.onNewGroup && <Way icon="users" label="New group" onClick={props.onNewGroup} />}
          <Way icon="phone" label="Search by Phone Number" onClick={props.onPhoneSearch} />
          <Way icon="share" label="Invite by link or QR code" onClick={props.onInvite} />
        </div>
        <People messenger={messenger} query={readSearchText(query)} onChoose={onClose} />
      </div>
      <div className={styles.foot}>
        <Button look="quiet" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </Dialog>
  )
}

function Way({ icon, label, onClick }: { icon: IconName; label: string; onClick(): void }) {
  return (
    <button type="button" className={styles.way} onClick={onClick}>
      <span className={styles.sign}>
        <Icon name={icon} size={20} />
      </span>
      {label}
    </button>
  )
}

interface PeopleProps {
  messenger: Messenger
  query: string
  onChoose(): void
}

export const offlineWords =
  'You’re offline. These are the people this device knows; finding others needs a network.'
export const localWords = 'The server can’t be reached, so only people this device knows are shown.'

function People({ messenger, query, onChoose }: PeopleProps) {
  const everybody = useLiveValue(useMemo(() => messenger.users.list(), [messenger]))
  const isOffline = useLivePart(messenger.connection, ({ state }) => state === 'offline')
  const isLive = useLivePart(messenger.connection, ({ state }) => state === 'live')
  useEffect(() => {
    if (isLive) messenger.users.refreshIfOld()
  }, [messenger, isLive])
  const asked = useDebounced(query, limits.userSearchDebounceMs)
  const found = usePeopleSearch(messenger.users, asked)
  const isSearch = isSearchable(query)
  const people = isSearch ? found.people : everybody
  // The server takes no query of one character.
  const isAnswered = found.query === query || query.length < limits.userSearchMinLength
  const isSettled = asked === query && isAnswered
  return (
    <>
      <Words>
        {isOffline && offlineWords}
        {!isOffline && isSearch && isSettled && found.isLocal && localWords}
      </Words>
      <section className={styles.people} aria-label="People">
        <Virtualizer as="ul" item="li" data={people} itemSize={64}>
          {(person) => (
            <PersonLink
              key={person._id}
              person={person}
              messenger={messenger}
              onChoose={onChoose}
            />
          )}
        </Virtualizer>
        <Words>{people.length === 0 && describeNobody({ isSearch, isSettled })}</Words>
      </section>
    </>
  )
}

export function describeNobody({ isSearch, isSettled }: { isSearch: boolean; isSettled: boolean }) {
  if (!isSearch) return 'Nobody here yet. Invite somebody by your link.'
  if (!isSettled) return 'Searching...'
  return 'No results found. An email address has to be complete.'
}

function Words({ children }: { children: ReactNode }) {
  return (
    <p className={styles.words} role="status">
      {children}
    </p>
  )
}

/** What to search for: a phone number counts by its digits, however it is written. */
export function readSearchText(typed: string): string {
  const text = typed.trim()
  return phone.test(text) ? text.replace(/\D/g, '') : text
}
