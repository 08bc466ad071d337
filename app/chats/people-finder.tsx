import {
  type ReactElement,
  type ReactNode,
  type Ref,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { Virtualizer } from 'virtua'
import { limits } from '../../schema/limits.ts'
import type { PublicUser } from '../../schema/user.ts'
import { isSearchable } from '../database/search/search-query.ts'
import type { Messenger } from '../sync/messenger-types.ts'
import { useArrowKeys } from '../ui/hooks/use-arrow-keys.ts'
import { useDebounced } from '../ui/hooks/use-debounced.ts'
import { useLivePart, useLiveValue } from '../ui/hooks/use-live-value.ts'
import styles from './people-finder.module.css'
import { useBoxArrows } from './use-box-arrows.ts'
import { usePeopleSearch } from './use-people-search.ts'

const phone = /^\+?[\d\s().-]+$/

interface PeopleFinderProps {
  messenger: Messenger
  /** Of the field: the browser's memory of what was typed goes by it. */
  name: string
  /** What the field is for. */
  label: string
  field?: Ref<HTMLInputElement> | undefined
  /** Selects what the arrow keys move among. */
  controls: string
  /** Who is shown of those that are found; everybody without it. */
  isOffered?: ((person: PublicUser) => boolean) | undefined
  /** Said where nobody is offered before anything is typed. */
  emptyWords?: string | undefined
  itemSize: number
  draw(person: PublicUser): ReactElement
  /** Between the field and the people. */
  children?: ReactNode
  /** Beneath the people. */
  end?: ReactNode
}

/** A field, and the people that it finds: those that this device knows, then those of the server. */
export function PeopleFinder(props: PeopleFinderProps) {
  const { label, controls, draw } = props
  const [query, setQuery] = useState('')
  const body = useRef<HTMLDivElement>(null)
  useBoxArrows(body, controls)
  useArrowKeys(body, controls)
  const { people, notice, emptyWords } = useFoundPeople(props, readSearchText(query))
  return (
    <div className={styles.body} ref={body}>
      <input
        ref={props.field}
        className={styles.search}
        type="search"
        name={props.name}
        placeholder="Name, email or phone number"
        aria-label={label}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        value={query}
        onChange={(event) => setQuery(event.target.value)}
      />
      {props.children}
      <Words>{notice}</Words>
      <section className={styles.people} aria-label="People">
        <Virtualizer as="ul" item="li" data={people} itemSize={props.itemSize}>
          {draw}
        </Virtualizer>
        <Words>{people.length === 0 && emptyWords}</Words>
      </section>
      {props.end}
    </div>
  )
}

const offlineWords =
  'You’re offline. These are the people this device knows; finding others needs a network.'
const localWords = 'The server can’t be reached, so only people this device knows are shown.'

function useFoundPeople(
  { messenger, isOffered, emptyWords }: PeopleFinderProps,
  query: string,
): { people: readonly PublicUser[]; notice: string | false; emptyWords: string } {
  const everybody = useLiveValue(useMemo(() => messenger.users.list(), [messenger]))
  const connection = useLivePart(messenger.connection, ({ state }) => state)
  useEffect(() => {
    if (connection === 'live') messenger.users.refreshIfOld()
  }, [messenger, connection])
  const asked = useDebounced(query, limits.userSearchDebounceMs)
  const found = usePeopleSearch(messenger.users, asked)
  const isSearch = isSearchable(query)
  const all = isSearch ? found.people : everybody
  const people = useMemo(() => (isOffered ? all.filter(isOffered) : all), [all, isOffered])
  // The server takes no query of one character.
  const isAnswered = found.query === query || query.length < limits.userSearchMinLength
  const isSettled = asked === query && isAnswered
  const isLocal = isSearch && isSettled && found.isLocal
  return {
    people,
    notice: connection === 'offline' ? offlineWords : isLocal && localWords,
    emptyWords: (!isSearch && emptyWords) || describeNobody({ isSearch, isSettled }),
  }
}

function describeNobody({ isSearch, isSettled }: { isSearch: boolean; isSettled: boolean }) {
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
