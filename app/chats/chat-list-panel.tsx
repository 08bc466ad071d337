import { type ReactNode, Suspense, useMemo, useState } from 'react'
import { Link } from 'react-router-dom'
import type { Messenger } from '../sync/messenger.ts'
import { Icon } from '../ui/icon.tsx'
import { productName } from '../ui/product.ts'
import { useLiveValue } from '../ui/use-live-value.ts'
import styles from './chat-list-panel.module.css'
import { ConversationList } from './conversation-list.tsx'
import { Everybody } from './everybody.tsx'
import { FilterChips } from './filter-chips.tsx'
import { filterRows, type ListFilter, nameEmptyList } from './filter-rows.ts'
import { LazySearchResults, prefetchSearchResults } from './lazy-parts.tsx'
import { ListProblems } from './list-problems.tsx'
import { SearchBox } from './search-box.tsx'
import { StarredList } from './starred-list.tsx'

export type ListView = 'all' | 'archived' | 'starred'

interface ChatListPanelProps {
  messenger: Messenger
  view: ListView
  selectedPeerId: string | undefined
  /** The query to begin with. */
  initialQuery?: string
  /** Stands before the title, such as the drawer's or the back button. */
  start?: ReactNode
  /** Stands after the title. */
  end?: ReactNode
  /** Stands under the header, such as the state of the connection. */
  notice?: ReactNode
}

export function ChatListPanel(props: ChatListPanelProps) {
  const { messenger, view } = props
  const [query, setQuery] = useState(props.initialQuery ?? '')
  return (
    <section className={styles.panel} aria-label="Chats">
      <header className={styles.header}>
        {props.start}
        <h1 className={styles.title}>{titleOf(view)}</h1>
        {props.end}
      </header>
      {props.notice}
      <SearchBox
        query={query}
        onChange={setQuery}
        onFocus={() => {
          prefetchSearchResults()
          messenger.search.prepare()
        }}
      />
      {query.trim() === '' ? (
        <ViewBody {...props} />
      ) : (
        <Suspense fallback={<div className={styles.scroller} />}>
          <LazySearchResults query={query} messenger={messenger} onChoose={() => setQuery('')} />
        </Suspense>
      )}
      <ListProblems messenger={messenger} />
    </section>
  )
}

function ViewBody({ messenger, view, selectedPeerId }: ChatListPanelProps) {
  if (view === 'starred') return <StarredList messenger={messenger} />
  return (
    <Conversations
      key={view}
      messenger={messenger}
      isArchived={view === 'archived'}
      selectedPeerId={selectedPeerId}
    />
  )
}

interface ConversationsProps {
  messenger: Messenger
  isArchived: boolean
  selectedPeerId: string | undefined
}

const archivedState = { listView: 'archived' }

function Conversations({ messenger, isArchived, selectedPeerId }: ConversationsProps) {
  const all = useLiveValue(messenger.conversations)
  const [filter, setFilter] = useState<ListFilter>('All')
  const rows = useMemo(() => filterRows(all, { isArchived, filter }), [all, isArchived, filter])
  const archivedCount = all.reduce((count, row) => count + (row.isArchived ? 1 : 0), 0)
  return (
    <>
      {!isArchived && <FilterChips filter={filter} onChange={setFilter} />}
      {!isArchived && archivedCount > 0 && filter === 'All' && (
        <Link className={styles.archived} to="/chat/archived">
          <Icon name="archive" size={20} />
          <span>Archived</span>
          <output>{archivedCount}</output>
        </Link>
      )}
      {rows.length === 0 ? (
        <EmptyList
          messenger={messenger}
          words={nameEmptyList(isArchived, filter)}
          isWholeList={!isArchived && filter === 'All' && all.length === 0}
        />
      ) : (
        <ConversationList
          rows={rows}
          messenger={messenger}
          selectedPeerId={selectedPeerId}
          linkState={isArchived ? archivedState : undefined}
        />
      )}
    </>
  )
}

interface EmptyListProps {
  messenger: Messenger
  words: string
  /** Are there no conversations at all? Then everybody who can be written to stands here. */
  isWholeList: boolean
}

/** Before the first answer of the server nothing can be said of a list that is empty on this device. */
function EmptyList({ messenger, words, isWholeList }: EmptyListProps) {
  const { state, lastSyncedAt } = useLiveValue(messenger.connection)
  const people = useLiveValue(useMemo(() => messenger.users.list(), [messenger]))
  if (lastSyncedAt === undefined && state === 'starting') return <Empty words="Authenticating..." />
  if (lastSyncedAt === undefined && state === 'connecting')
    return <Empty words="Loading chats..." />
  if (isWholeList && people.length > 0) return <Everybody people={people} messenger={messenger} />
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
