import {
  lazy,
  type ReactNode,
  type RefObject,
  Suspense,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { Link } from 'react-router-dom'
import type { Messenger } from '../sync/messenger-types.ts'
import { Button } from '../ui/buttons/button.tsx'
import { IconButton } from '../ui/buttons/icon-button.tsx'
import { isComposing } from '../ui/forms/insert-text.ts'
import { useArrowKeys } from '../ui/hooks/use-arrow-keys.ts'
import { useHeldWhilePressed } from '../ui/hooks/use-held-while-pressed.ts'
import { useLiveValue } from '../ui/hooks/use-live-value.ts'
import { Icon } from '../ui/icons/icon.tsx'
import { useKeptFocus } from '../ui/layers/use-kept-focus.ts'
import { productName } from '../ui/product.ts'
import styles from './chat-list-panel.module.css'
import { ConversationList, conversationRow } from './conversation-list.tsx'
import type { WaysIn } from './everybody.tsx'
import { filterRows, type ListFilter, listFilters, nameEmptyList } from './filter-rows.ts'
import { useBoxArrows } from './use-box-arrows.ts'

const slackPx = 24

const loadSearchResults = () =>
  import('./search-results.tsx').then((module) => ({ default: module.SearchResults }))

/** Loads when a search starts. */
const LazySearchResults = lazy(loadSearchResults)

const LazyEverybody = lazy(() =>
  import('./everybody.tsx').then((module) => ({ default: module.Everybody })),
)

const LazyStarredList = lazy(() =>
  import('./starred-list.tsx').then((module) => ({ default: module.StarredList })),
)

export type ListView = 'all' | 'archived' | 'starred'

interface ChatListPanelProps extends WaysIn {
  messenger: Messenger
  view: ListView
  selectedPeerId: string | undefined
  /** The initial query. */
  initialQuery?: string
  /** Is this the search screen? Then the search box has the focus. */
  isSearch?: boolean
  /** Identifies the search, or that the open chat was found by; passed on to the results' links. */
  searchKey: string | undefined
  /** The person's labels for a customer, searchable; the same function until the labels change. */
  labelsOf(peerId: string): readonly string[]
  /** Called with the query at each change, and at the start. Called again when the function changes. */
  onQuery(query: string): void
  /** Called with the query on Enter in the search box. */
  onSearch(query: string): void
  /** Shown before the title, such as the drawer's button or the back button. */
  start?: ReactNode
  /** Shown after the title. */
  end?: ReactNode
  /** Shown under the header, such as the state of the connection. */
  notice?: ReactNode
}

export function ChatListPanel(props: ChatListPanelProps) {
  const { messenger, view, searchKey, onQuery } = props
  const linkState = useMemo(
    () => (searchKey === undefined ? undefined : { searchKey }),
    [searchKey],
  )
  const [query, setQuery] = useState(props.initialQuery ?? '')
  useEffect(() => onQuery(query), [onQuery, query])
  const [filter, setFilter] = useState<ListFilter>('All')
  const panel = useRef<HTMLElement>(null)
  useCollapse(panel)
  useKeptFocus(panel, conversationRow)
  useBoxArrows(panel, `.${styles.scroller} a`)
  return (
    <section className={styles.panel} aria-label="Chats" ref={panel}>
      <header className={styles.header}>
        {props.start}
        <h1 className={styles.title} tabIndex={-1}>
          {titleOf(view)}
        </h1>
        {props.end}
      </header>
      <div className={styles.notices}>{props.notice}</div>
      <SearchBox
        query={query}
        onChange={setQuery}
        onSubmit={() => props.onSearch(query)}
        isFirst={props.isSearch ?? false}
        onFocus={() => {
          prefetchSearchResults()
          messenger.search.prepare()
        }}
      />
      {query.trim() === '' ? (
        <ViewBody
          {...props}
          panel={panel}
          linkState={linkState}
          filter={filter}
          onFilter={setFilter}
        />
      ) : (
        <Suspense fallback={<div className={styles.scroller} />}>
          <LazySearchResults
            query={query}
            messenger={messenger}
            linkState={linkState}
            labelsOf={props.labelsOf}
            // A search with a URL keeps its query, for Back.
            onChoose={() => searchKey === undefined && setQuery('')}
          />
        </Suspense>
      )}
      <ListProblems messenger={messenger} />
    </section>
  )
}

interface Filtering {
  /** The filter survives a search, which replaces the list. */
  filter: ListFilter
  onFilter(filter: ListFilter): void
  linkState: unknown
  /** Contains the list. */
  panel: RefObject<HTMLElement | null>
}

function ViewBody(props: ChatListPanelProps & Filtering) {
  const { messenger, view, selectedPeerId, filter, onFilter, linkState, panel } = props
  if (view === 'starred') {
    return (
      <Suspense fallback={<div className={styles.scroller} />}>
        <LazyStarredList messenger={messenger} />
      </Suspense>
    )
  }
  const isArchived = view === 'archived'
  return (
    <Conversations
      key={view}
      messenger={messenger}
      panel={panel}
      isArchived={isArchived}
      selectedPeerId={selectedPeerId}
      filter={isArchived ? 'All' : filter}
      onFilter={onFilter}
      linkState={isArchived ? archivedState : linkState}
      onInvite={props.onInvite}
      onNewChat={props.onNewChat}
      onNewGroup={props.onNewGroup}
    />
  )
}

interface ConversationsProps extends Filtering, WaysIn {
  messenger: Messenger
  isArchived: boolean
  selectedPeerId: string | undefined
}

/** With fewer chats than this, the people to write to are shown beneath them. */
const fewChats = 5

const archivedState = { listView: 'archived' }

function Conversations(props: ConversationsProps) {
  const { messenger, isArchived, selectedPeerId, filter, onFilter } = props
  // Also the first chat, which takes the place of everybody, moves nothing under a pressed pointer.
  const all = useHeldWhilePressed(props.panel, useLiveValue(messenger.conversations))
  const keptPeerId = useKeptPeer(filter, selectedPeerId)
  const rows = useMemo(
    () => filterRows(all, { isArchived, filter, keptPeerId }),
    [all, isArchived, filter, keptPeerId],
  )
  const known = useMemo(() => new Set(all.map(({ peerId }) => peerId)), [all])
  const offersPeople = !isArchived && filter === 'All'
  const everybody = (
    <Suspense fallback={null}>
      <LazyEverybody
        messenger={messenger}
        known={known}
        onInvite={props.onInvite}
        onNewChat={props.onNewChat}
      />
    </Suspense>
  )
  const archivedCount = all.reduce((count, row) => count + (row.isArchived ? 1 : 0), 0)
  return (
    <>
      {!isArchived && <FilterChips filter={filter} onChange={onFilter} />}
      {!isArchived && archivedCount > 0 && filter === 'All' && (
        <Link className={styles.archived} to="/chat/archived">
          <Icon name="archive" size={20} />
          <span className={styles.archivedName}>Archived</span>
          <span className={styles.archivedCount}>{archivedCount}</span>
        </Link>
      )}
      {rows.length === 0 ? (
        <EmptyList
          messenger={messenger}
          words={nameEmptyList(isArchived, filter)}
          hasConversations={all.length > 0}
          everybody={offersPeople ? everybody : undefined}
          onNewGroup={filter === 'Groups' ? props.onNewGroup : undefined}
        />
      ) : (
        <ConversationList
          rows={rows}
          messenger={messenger}
          selectedPeerId={selectedPeerId}
          linkState={props.linkState}
          end={offersPeople && all.length < fewChats ? everybody : undefined}
        />
      )}
    </>
  )
}

interface EmptyListProps {
  messenger: Messenger
  words: string
  /** Does this device have any, in any view? */
  hasConversations: boolean
  /** Set where the list shows everybody while there is no conversation. */
  everybody: ReactNode
  /** Set where the list shows groups alone, and they can be made. */
  onNewGroup: (() => void) | undefined
}

/** A device without any conversation shows no words before the server's first answer (P10). */
function EmptyList(props: EmptyListProps) {
  const { messenger, words, hasConversations, everybody, onNewGroup } = props
  const { state, hasSynced = false } = useLiveValue(messenger.connection)
  const people = useLiveValue(useMemo(() => messenger.users.list(), [messenger]))
  const scroller = useRef<HTMLDivElement>(null)
  useArrowKeys(scroller, 'a')
  const isKnownEmpty = hasConversations || hasSynced
  const hasPeople = everybody && people.length > 0 && !hasConversations
  if (!hasPeople && !isKnownEmpty && state === 'starting') {
    return <Empty words="Authenticating..." />
  }
  if (!hasPeople && !isKnownEmpty && state === 'connecting') {
    return <Empty words="Loading chats..." />
  }
  return (
    <div className={styles.scroller} ref={scroller}>
      {!hasPeople && (
        <Empty words={words}>
          {onNewGroup && (
            <Button aria-haspopup="dialog" onClick={onNewGroup}>
              New group
            </Button>
          )}
        </Empty>
      )}
      {everybody}
    </div>
  )
}

function Empty({ words, children }: { words: string; children?: ReactNode }) {
  return (
    <div className={styles.empty}>
      <p>{words}</p>
      {children}
    </div>
  )
}

function titleOf(view: ListView): string {
  switch (view) {
    case 'all':
      return productName
    case 'archived':
      return 'Archived'
    case 'starred':
      return 'Starred'
  }
}

/** Prefetches the results' code, so that the first key need not wait for it. */
function prefetchSearchResults(): void {
  loadSearchResults().catch(() => {})
}

/**
 * The peer of the open chat that was opened under this filter: its row must not vanish while it is
 * read.
 */
function useKeptPeer(filter: ListFilter, selectedPeerId: string | undefined): string | undefined {
  const [now, setNow] = useState({ filter, selectedPeerId, isKept: false })
  if (now.filter !== filter || now.selectedPeerId !== selectedPeerId) {
    setNow({ filter, selectedPeerId, isKept: now.filter === filter })
  }
  return filter === 'Unread' && now.isKept ? selectedPeerId : undefined
}

/**
 * The server's failures, beneath the list; the device's data stays. Being offline is no failure.
 */
function ListProblems({ messenger }: { messenger: Messenger }) {
  const { state, words } = useLiveValue(messenger.connection)
  const usersProblem = useLiveValue(messenger.users.problem)
  const hasList = useLiveValue(messenger.conversations).length > 0
  const isReachable = state === 'live' || state === 'trouble'
  return (
    <div role="status">
      {state === 'trouble' && (
        <p className={styles.problem}>
          {hasList ? "Couldn't update your chats" : 'Failed to load conversations'}: {words}
        </p>
      )}
      {isReachable && usersProblem && (
        <p className={styles.problem}>Failed to load users: {usersProblem}</p>
      )}
    </div>
  )
}

interface FilterChipsProps {
  filter: ListFilter
  onChange(filter: ListFilter): void
}

function FilterChips({ filter, onChange }: FilterChipsProps) {
  return (
    <fieldset className={styles.chips} aria-label="Filter chats">
      {listFilters.map((name) => (
        <button
          key={name}
          type="button"
          className={styles.chip}
          aria-pressed={name === filter}
          onClick={() => onChange(name)}
        >
          {name}
        </button>
      ))}
    </fieldset>
  )
}

/**
 * Sets `data-collapsed` on the panel while its list is scrolled, so that a low screen can hide the
 * part above the list. Only if the taller list still scrolls, and not while the search has the
 * focus.
 */
function useCollapse(panel: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = panel.current
    if (!element) return
    const onScroll = ({ target }: Event) => {
      if (!(target instanceof HTMLElement) || target === element) return
      const { scrollTop, scrollHeight, clientHeight } = target
      if (scrollTop <= 0) return element.removeAttribute('data-collapsed')
      const headPx = element.clientHeight - clientHeight
      const isLong = scrollHeight - clientHeight > Math.max(0, headPx) + slackPx
      const isSearching = element.querySelector('search')?.contains(document.activeElement)
      if (scrollTop > slackPx && isLong && !isSearching) element.setAttribute('data-collapsed', '')
    }
    // `scroll` does not bubble.
    element.addEventListener('scroll', onScroll, { capture: true, passive: true })
    return () => element.removeEventListener('scroll', onScroll, { capture: true })
  }, [panel])
}

interface SearchBoxProps {
  query: string
  onChange(query: string): void
  onFocus(): void
  /** Called on Enter: the search gets its own screen and URL. */
  onSubmit(): void
  /** Does it take the focus on mount? */
  isFirst: boolean
}

function SearchBox({ query, onChange, onFocus, onSubmit, isFirst }: SearchBoxProps) {
  const field = useRef<HTMLInputElement>(null)
  const [isFocusWanted] = useState(isFirst)
  useEffect(() => {
    if (isFocusWanted) field.current?.focus()
  }, [isFocusWanted])
  return (
    <search className={styles.search}>
      <Icon name="search" size={18} />
      <input
        ref={field}
        type="search"
        name="search"
        enterKeyHint="search"
        placeholder="Search or start a new chat"
        aria-label="Search or start a new chat"
        autoComplete="off"
        value={query}
        onChange={(event) => onChange(event.target.value)}
        onFocus={onFocus}
        onKeyDown={(event) => {
          const isSubmit = event.key === 'Enter' && !isComposing(event.nativeEvent)
          if (isSubmit && query.trim() !== '') onSubmit()
          if (event.key === 'Escape' && query !== '') {
            event.stopPropagation()
            onChange('')
          }
        }}
      />
      {query !== '' && (
        <IconButton
          className={styles.clear}
          icon="close"
          label="Clear search"
          isSmall
          onClick={() => onChange('')}
        />
      )}
    </search>
  )
}
