import { lazy, Suspense, useState } from 'react'
import { useLocation, useNavigate } from 'react-router-dom'
import { ChatListPanel } from '../../chats/chat-list-panel.tsx'
import { IconButton } from '../../ui/buttons/icon-button.tsx'
import { BackLink } from '../navigation/back-link.tsx'
import type { ChatPlace } from '../navigation/read-chat-place.ts'
import { readNavigationState } from '../navigation/read-navigation-state.ts'
import { ListNotices } from '../notices/list-notices.tsx'
import { useMessenger } from '../session/messenger-context.tsx'
import { PlaceholderPanel } from './placeholder-panel.tsx'
import { useLabels } from './use-labels.ts'

const PhoneSearch = lazy(() =>
  import('./phone-search.tsx').then((module) => ({ default: module.PhoneSearch })),
)

interface ListPanelProps {
  place: ChatPlace
  onOpenDrawer: (() => void) | undefined
}

/** The left pane of the chat screen: the list that the URL selects. */
export function ListPanel({ place, onOpenDrawer }: ListPanelProps) {
  const messenger = useMessenger()
  const labelsOf = useLabels(messenger)
  const { state, key } = useLocation()
  const navigate = useNavigate()
  const [isAskingPhone, setIsAskingPhone] = useState(false)
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
  if (place.section === 'calls') {
    return (
      <PlaceholderPanel
        title="Calls"
        text="Your recent calls will appear here."
        start={drawerButton}
      />
    )
  }
  const isSearch = place.section === 'search'
  const searchKey = isSearch ? key : readNavigationState(state, 'searchKey')
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
              label="Search by Phone Number"
              aria-haspopup="dialog"
              onClick={() => setIsAskingPhone(true)}
            />
          )
        }
        notice={<ListNotices />}
      />
      {isAskingPhone && (
        <Suspense fallback={null}>
          <PhoneSearch onClose={() => setIsAskingPhone(false)} />
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
