import { lazy, type ReactNode, Suspense, useCallback, useState } from 'react'
import { useLocation, useNavigate } from 'react-router-dom'
import { ChatListPanel } from '../../chats/chat-list-panel.tsx'
import type { Messenger } from '../../sync/messenger-types.ts'
import { IconButton } from '../../ui/buttons/icon-button.tsx'
import { useLiveValue } from '../../ui/hooks/use-live-value.ts'
import { listLabels } from '../../whatsapp/channel/channel-settings.ts'
import { BackLink } from '../navigation/back-link.tsx'
import type { ChatPlace } from '../navigation/read-chat-place.ts'
import { readNavigationState } from '../navigation/read-navigation-state.ts'
import { useProfilePanel } from '../navigation/use-profile-panel.ts'
import { ListNotices } from '../notices/list-notices.tsx'
import { useMessenger } from '../session/messenger-context.tsx'
import list from './chat-layout.module.css'
import styles from './empty-pane.module.css'

interface PlaceholderPanelProps {
  title: string
  text: string
  start?: ReactNode
}

const NewChat = lazy(() =>
  import('../new-chat/new-chat.tsx').then((module) => ({ default: module.NewChat })),
)

const SettingsList = lazy(() =>
  import('./settings-list.tsx').then((module) => ({ default: module.SettingsList })),
)

const ProfilePanelRoute = lazy(() =>
  import('../own-profile/profile-panel-route.tsx').then((module) => ({
    default: module.ProfilePanelRoute,
  })),
)

interface ListPanelProps {
  place: ChatPlace
  onOpenDrawer: (() => void) | undefined
}

/** The left pane of the chat screen: the list that the URL selects, or one's own profile over it. */
export function ListPanel(props: ListPanelProps) {
  const panel = useProfilePanel()
  if (!panel.isOpen) return <List {...props} />
  return (
    <Suspense fallback={null}>
      <ProfilePanelRoute onBack={panel.close} />
    </Suspense>
  )
}

function List({ place, onOpenDrawer }: ListPanelProps) {
  const messenger = useMessenger()
  const labelsOf = useLabels(messenger)
  const { pathname, state, key } = useLocation()
  const navigate = useNavigate()
  const isSearch = place.section === 'search'
  // A search's entry that was rewritten has another key.
  const searchKey = readNavigationState(state, 'searchKey') ?? (isSearch ? key : undefined)
  // A query that was cleared or replaced does not come back after a reload.
  const forgetQuery = useCallback(
    (query: string) => {
      const kept = readNavigationState(state, 'query')
      if (kept === undefined || kept.trim() === query.trim()) return
      void navigate(pathname, { replace: true, state: { ...state, query: undefined, searchKey } })
    },
    [navigate, pathname, state, searchKey],
  )
  const [isNewChatOpen, setIsNewChatOpen] = useState(false)
  const drawerButton = onOpenDrawer && (
    <IconButton icon="menu" label="Open menu" onClick={onOpenDrawer} />
  )
  if (place.section === 'status') {
    return (
      <PlaceholderPanel
        title="Status"
        text="Status updates from your contacts will appear here."
        start={drawerButton}
      />
    )
  }
  if (place.section === 'settings') {
    return (
      <Suspense fallback={null}>
        <SettingsList start={drawerButton} />
      </Suspense>
    )
  }
  if (place.section === 'calls') {
    return (
      <PlaceholderPanel
        title="Calls"
        text="Your recent calls will appear here."
        start={drawerButton}
      />
    )
  }
  const view = pickView(place, readNavigationState(state, 'listView'))
  return (
    <>
      <ChatListPanel
        // A new search starts with its own query and stays mounted beside its results; all other
        // places share one list.
        key={searchKey ?? 'list'}
        searchKey={searchKey}
        messenger={messenger}
        view={view}
        selectedPeerId={place.peerId}
        labelsOf={labelsOf}
        initialQuery={readNavigationState(state, 'query') ?? ''}
        isSearch={isSearch}
        onQuery={forgetQuery}
        onSearch={(query) => void navigate('/chat/search', { state: { query }, replace: isSearch })}
        start={
          view === 'all' && searchKey === undefined ? (
            drawerButton
          ) : (
            <BackLink to="/chat" label="Back to chats" />
          )
        }
        end={
          view === 'all' && (
            <IconButton
              icon="newChat"
              label="New chat"
              aria-haspopup="dialog"
              onClick={() => setIsNewChatOpen(true)}
            />
          )
        }
        notice={<ListNotices />}
      />
      {isNewChatOpen && (
        <Suspense fallback={null}>
          <NewChat onClose={() => setIsNewChatOpen(false)} />
        </Suspense>
      )}
    </>
  )
}

/** Beside an open conversation, keeps the list from which it was opened. */
function pickView(
  place: ChatPlace,
  openedFrom: string | undefined,
): 'all' | 'archived' | 'starred' {
  const wanted = place.peerId === undefined ? place.section : openedFrom
  return wanted === 'archived' || wanted === 'starred' ? wanted : 'all'
}

/** An empty section in the list's place. */
function PlaceholderPanel({ title, text, start }: PlaceholderPanelProps) {
  return (
    <section className={list.placeholder} aria-label={title}>
      <header className={list.placeholderHeader}>
        {start}
        <h1>{title}</h1>
      </header>
      <p className={styles.words}>{text}</p>
    </section>
  )
}

/** The signed-in person's labels for their customers; the same function until the labels change. */
function useLabels(messenger: Messenger): (peerId: string) => readonly string[] {
  const { whatsApp } = useLiveValue(messenger.settings.values)
  return useCallback((peerId: string) => listLabels(whatsApp, peerId), [whatsApp])
}
