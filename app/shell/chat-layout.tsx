import { lazy, Suspense, useEffect, useState } from 'react'
import { useLocation } from 'react-router-dom'
import { joinClassNames } from '../ui/join-class-names.ts'
import { useMediaQuery } from '../ui/use-media-query.ts'
import styles from './chat-layout.module.css'
import { countUnreadChats } from './count-unread-chats.ts'
import { EmptyPane } from './empty-pane.tsx'
import { FirstLoadScreen } from './first-load-screen.tsx'
import { ListPanel } from './list-panel.tsx'
import { useMessenger } from './messenger-context.tsx'
import { narrowScreen, phoneScreen } from './narrow-screen.ts'
import { NotFoundPage } from './not-found-page.tsx'
import { PageTitle } from './page-title.tsx'
import { Rail } from './rail.tsx'
import { type ChatPlace, readChatPlace } from './read-chat-place.ts'
import { UndoSnackbar } from './undo-snackbar.tsx'
import { useFirstLoad } from './use-first-load.ts'
import { useSession } from './use-session.ts'
import { useShellActions } from './use-shell-actions.tsx'
import { useUnreadTotal } from './use-unread-total.ts'

const loadConversation = () =>
  import('./conversation-route.tsx').then((module) => ({ default: module.ConversationRoute }))
const ConversationRoute = lazy(loadConversation)
const MediaRoute = lazy(() =>
  import('./media-route.tsx').then((module) => ({ default: module.MediaRoute })),
)
const Drawer = lazy(() => import('./drawer.tsx').then((module) => ({ default: module.Drawer })))

/** What is likely to be wanted next is fetched after the list is drawn. */
const conversationAfterMs = 300
const searchAfterMs = 5_000

/** The chat screen: rail, list and conversation side by side, or one of the latter on a narrow screen. */
export function ChatLayout() {
  const { pathname } = useLocation()
  const place = readChatPlace(pathname)
  return place ? <PlacedChatLayout place={place} /> : <NotFoundPage />
}

function PlacedChatLayout({ place }: { place: ChatPlace }) {
  const messenger = useMessenger()
  const user = useSession()?.user
  const isPhone = useMediaQuery(phoneScreen)
  const isNarrow = useMediaQuery(narrowScreen)
  const [isDrawerOpen, setIsDrawerOpen] = useState(false)
  const shell = useShellActions()
  const firstLoad = useFirstLoad(messenger.userId)
  const unreadChats = useUnreadTotal(countUnreadChats, place.peerId)
  useEffect(() => {
    const timers = [
      setTimeout(() => void loadConversation(), conversationAfterMs),
      setTimeout(messenger.search.prepare, searchAfterMs),
    ]
    return () => timers.forEach(clearTimeout)
  }, [messenger])

  const isPaneShown = place.peerId !== undefined
  const own = { ownName: user?.username ?? '', ownPicture: user?.profilePicture ?? undefined }
  const nav = { section: place.section, actions: shell.actions }
  return (
    <>
      <div className={styles.layout} inert={firstLoad.isShown}>
        <PageTitle place={place} />
        {!isPhone && <Rail {...nav} unreadChats={unreadChats} />}
        <div
          className={joinClassNames(styles.list, isPaneShown && styles.away)}
          role={isNarrow ? 'main' : undefined}
        >
          <ListPanel
            place={place}
            onOpenDrawer={isPhone ? () => setIsDrawerOpen(true) : undefined}
          />
        </div>
        <main className={joinClassNames(styles.pane, !isPaneShown && styles.away)}>
          <Pane place={place} />
        </main>
        {isDrawerOpen && (
          <Suspense fallback={null}>
            <Drawer {...nav} {...own} onClose={() => setIsDrawerOpen(false)} />
          </Suspense>
        )}
        {shell.dialog}
        <UndoSnackbar isOverList={!isPaneShown} />
      </div>
      {firstLoad.isShown && <FirstLoadScreen percent={firstLoad.percent} />}
    </>
  )
}

function Pane({ place }: { place: ChatPlace }) {
  if (place.peerId === undefined) return <EmptyPane />
  return (
    <Suspense fallback={null}>
      {place.content ? (
        <MediaRoute peerId={place.peerId} kind={place.content} />
      ) : (
        <ConversationRoute peerId={place.peerId} />
      )}
    </Suspense>
  )
}
