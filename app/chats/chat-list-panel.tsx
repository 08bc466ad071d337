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
import { useHeldWhilePressed } from '../ui/hooks/use-held-while-pressed.ts'
import { useLiveValue } from '../ui/hooks/use-live-value.ts'
import { Icon } from '../ui/icons/icon.tsx'
import { useKeptFocus } from '../ui/layers/use-kept-focus.ts'
import { productName } from '../ui/product.ts'
import styles from './chat-list-panel.module.css'
import { ConversationList, conversationRow } from './conversation-list.tsx'
import { Everybody } from './everybody.tsx'
import { FilterChips } from './filter-chips.tsx'
import { filterRows, type ListFilter, nameEmptyList } from './filter-rows.ts'
import { SearchBox } from './search-box.tsx'
import { useBoxArrows } from './use-box-arrows.ts'
import { useCollapse } from './use-collapse.ts'

const loadSearchResults = () =>
  import('./search-results.tsx').then((module) => ({ default: module.SearchResults }))

/** Loads when a search starts. */
const LazySearchResults = lazy(loadSearchResults)

const LazyStarredList = lazy(() =>
  import('./starred-list.tsx').then((module) => ({ default: module.StarredList })),
)

export type ListView = 'all' | 'archived' | 'starred'

interface ChatListPanelProps {
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
    />
  )
}

interface ConversationsProps extends Filtering {
  messenger: Messenger
  isArchived: boolean
  selectedPeerId: string | undefined
}

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
          offersPeople={!isArchived && filter === 'All'}
        />
      ) : (
        <ConversationList
          rows={rows}
          messenger={messenger}
          selectedPeerId={selectedPeerId}
          linkState={props.linkState}
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
  /** May the list show everybody while there is no conversation? */
  offersPeople: boolean
}

/** A device without any conversation shows no words before the server's first answer (P10). */
function EmptyList({ messenger, words, hasConversations, offersPeople }: EmptyListProps) {
  const { state, hasSynced = false } = useLiveValue(messenger.connection)
  const people = useLiveValue(useMemo(() => messenger.users.list(), [messenger]))
  if (hasConversations) return <Empty words={words} />
  if (offersPeople && people.length > 0) return <Everybody people={people} messenger={messenger} />
  if (!hasSynced && state === 'starting') return <Empty words="Authenticating..." />
  if (!hasSynced && state === 'connecting') return <Empty words="Loading chats..." />
  return <Empty words={words} />
}

function Empty({ words }: { words: string }) {
  return <p className={styles.empty}>{words}</p>
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
  const isReachable = state === 'live' || state === 'trouble'
  return (
    <div role="status">
      {state === 'trouble' && (
        <p className={styles.problem}>Failed to load conversations: {words}</p>
      )}
      {isReachable && usersProblem && (
        <p className={styles.problem}>Failed to load users: {usersProblem}</p>
      )}
    </div>
  )
}
