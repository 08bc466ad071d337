import { useEffect, useMemo, useRef, useState } from 'react'
import { Virtualizer } from 'virtua'
import { kindOf } from '../../../schema/conversation.ts'
import { limits } from '../../../schema/limits.ts'
import type { PublicUser } from '../../../schema/user.ts'
import { isSearchable } from '../../database/search/search-query.ts'
import type { Messenger } from '../../sync/messenger-types.ts'
import { useArrowKeys } from '../../ui/hooks/use-arrow-keys.ts'
import { useDebounced } from '../../ui/hooks/use-debounced.ts'
import { useLivePart, useLiveValue } from '../../ui/hooks/use-live-value.ts'
import { Icon } from '../../ui/icons/icon.tsx'
import { Avatar } from '../../ui/people/avatar.tsx'
import { describeNobody, localWords, offlineWords, readSearchText } from '../new-chat-dialog.tsx'
import { useBoxArrows } from '../use-box-arrows.ts'
import { usePeopleSearch } from '../use-people-search.ts'
import styles from './choose-members.module.css'

/** The people chosen, in the order in which they were. */
export type ChosenPeople = ReadonlyMap<string, PublicUser>

interface ChooseMembersProps {
  messenger: Messenger
  chosen: ChosenPeople
  onChange(chosen: ChosenPeople): void
  /** Those who are in the group already. */
  memberIds?: readonly string[]
}

const nobody: readonly string[] = []

const checkbox = 'input[type="checkbox"]'

/** People to choose for a group: the chosen ones above, then everybody that the words find. */
export function ChooseMembers(props: ChooseMembersProps) {
  const { messenger, chosen, onChange, memberIds = nobody } = props
  const [query, setQuery] = useState('')
  const field = useRef<HTMLInputElement>(null)
  const body = useRef<HTMLDivElement>(null)
  useBoxArrows(body, checkbox)
  useArrowKeys(body, checkbox)
  useEffect(() => field.current?.focus(), [])
  const { people, notice, isEmpty, emptyWords } = useCandidates(messenger, {
    query: readSearchText(query),
    memberIds,
  })
  const isFull = memberIds.length + chosen.size + (memberIds.length === 0 ? 1 : 0) >= most
  const toggle = (person: PublicUser) => {
    const next = new Map(chosen)
    if (!next.delete(person._id)) next.set(person._id, person)
    onChange(next)
  }
  return (
    <div className={styles.body} ref={body}>
      <input
        ref={field}
        className={styles.search}
        type="search"
        name="search-members"
        placeholder="Name, email or phone number"
        aria-label="Search people"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        value={query}
        onChange={(event) => setQuery(event.target.value)}
      />
      {chosen.size > 0 && (
        <ul className={styles.chosen} aria-label="Chosen people">
          {[...chosen.values()].map((person) => (
            <li key={person._id}>
              <button
                type="button"
                className={styles.chip}
                aria-label={`Remove ${person.username}`}
                onClick={() => {
                  toggle(person)
                  // The chip that had the focus is gone.
                  field.current?.focus()
                }}
              >
                <Avatar
                  name={person.username}
                  picture={person.profilePicture ?? undefined}
                  size={1.5}
                />
                <span dir="auto">{person.username}</span>
                <Icon name="close" size={14} />
              </button>
            </li>
          ))}
        </ul>
      )}
      {notice && (
        <p className={styles.words} role="status">
          {notice}
        </p>
      )}
      <section className={styles.people} aria-label="People">
        <Virtualizer as="ul" item="li" data={people} itemSize={60}>
          {(person) => (
            <label key={person._id} className={styles.person}>
              <Avatar
                name={person.username}
                picture={person.profilePicture ?? undefined}
                size={2.5}
              />
              <span className={styles.name} dir="auto">
                {person.username}
              </span>
              <input
                type="checkbox"
                checked={chosen.has(person._id)}
                disabled={isFull && !chosen.has(person._id)}
                onChange={() => toggle(person)}
              />
            </label>
          )}
        </Virtualizer>
        {isEmpty && (
          <p className={styles.words} role="status">
            {emptyWords}
          </p>
        )}
      </section>
      <p className={styles.count} role="status">
        {describeCount(chosen.size, isFull)}
      </p>
    </div>
  )
}

const most = limits.groups.membersMax

function describeCount(count: number, isFull: boolean): string {
  if (isFull) return `A group has at most ${most.toLocaleString('en')} members.`
  return count === 0 ? 'Nobody chosen yet' : `${count} chosen`
}

/** Who can be added: those with an account, unless this person blocks them. */
function useCandidates(
  messenger: Messenger,
  { query, memberIds }: { query: string; memberIds: readonly string[] },
) {
  const everybody = useLiveValue(useMemo(() => messenger.users.list(), [messenger]))
  const blocked = useLiveValue(messenger.blocked)
  const connection = useLivePart(messenger.connection, ({ state }) => state)
  useEffect(() => {
    if (connection === 'live') messenger.users.refreshIfOld()
  }, [messenger, connection])
  const asked = useDebounced(query, limits.userSearchDebounceMs)
  const found = usePeopleSearch(messenger.users, asked)
  const isSearch = isSearchable(query)
  const all = isSearch ? found.people : everybody
  const people = useMemo(() => {
    const left = new Set([messenger.userId, ...blocked, ...memberIds])
    return all.filter((person) => !left.has(person._id) && kindOf(person) === 'person')
  }, [all, blocked, memberIds, messenger.userId])
  // The server takes no query of one character.
  const isAnswered = found.query === query || query.length < limits.userSearchMinLength
  const isSettled = asked === query && isAnswered
  const isOffline = connection === 'offline'
  const isLocal = isSearch && isSettled && found.isLocal
  const isAllIn = !isSearch && memberIds.length > 0
  return {
    people,
    notice: isOffline ? offlineWords : isLocal && localWords,
    isEmpty: people.length === 0,
    emptyWords: isAllIn
      ? 'Everybody you know here is in the group.'
      : describeNobody({ isSearch, isSettled }),
  }
}
