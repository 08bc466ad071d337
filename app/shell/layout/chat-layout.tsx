import { lazy, Suspense, useEffect, useState } from 'react'
import { useLocation } from 'react-router-dom'
import { useMediaQuery } from '../../ui/hooks/use-media-query.ts'
import { joinClassNames } from '../../ui/styles/join-class-names.ts'
import { useShellActions } from '../main-menu/use-shell-actions.tsx'
import { countUnreadChats } from '../navigation/count-unread-chats.ts'
import { PageTitle } from '../navigation/page-title.tsx'
import { Rail } from '../navigation/rail.tsx'
import { type ChatPlace, readChatPlace } from '../navigation/read-chat-place.ts'
import { useUnreadTotal } from '../navigation/use-unread-total.ts'
import { UndoSnackbar } from '../notices/undo-snackbar.tsx'
import { useOwnFace } from '../own-profile/use-own-profile.ts'
import { narrowScreen, phoneScreen } from '../screen/narrow-screen.ts'
import { useMessenger } from '../session/messenger-context.tsx'
import styles from './chat-layout.module.css'
import { EmptyPane, SettingsPane } from './empty-pane.tsx'
import { FirstLoadScreen } from './first-load-screen.tsx'
import { ListPanel } from './list-panel.tsx'
import { NotFoundPage } from './not-found-page.tsx'
import { useFirstLoad } from './use-first-load.ts'

const loadConversation = () =>
  import('../open-chat/conversation-route.tsx').then((module) => ({
    default: module.ConversationRoute,
  }))
const ConversationRoute = lazy(loadConversation)
const MediaRoute = lazy(() =>
  import('../open-chat/media-route.tsx').then((module) => ({ default: module.MediaRoute })),
)
const ContactRoute = lazy(() =>
  import('../open-chat/contact-route.tsx').then((module) => ({ default: module.ContactRoute })),
)
const Drawer = lazy(() =>
  import('../navigation/drawer.tsx').then((module) => ({ default: module.Drawer })),
)

/** Delay before prefetching the conversation's code, so that the list renders first. */
const conversationAfterMs = 300
const searchAfterMs = 5_000

/**
 * The chat screen: rail, list and conversation side by side; on narrow screens list or
 * conversation.
 */
export function ChatLayout() {
  const { pathname } = useLocation()
  const place = readChatPlace(pathname)
  return place ? <PlacedChatLayout place={place} /> : <NotFoundPage />
}

function PlacedChatLayout({ place }: { place: ChatPlace }) {
  const messenger = useMessenger()
  const face = useOwnFace()
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
  const own = { ownName: face.user?.username ?? '', ownPicture: face.picture }
  const nav = { section: place.section, actions: shell.actions }
  return (
    <>
      <div
        className={joinClassNames(styles.layout, place.hasInfo && styles.withInfo)}
        inert={firstLoad.isShown}
      >
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
          <Pane place={place} isNarrow={isNarrow} />
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

function Pane({ place, isNarrow }: { place: ChatPlace; isNarrow: boolean }) {
  // The contact panel asks for a search, and the conversation takes it once it is shown.
  const [asksSearch, setAsksSearch] = useState(false)
  const { peerId, hasInfo = false } = place
  if (place.section === 'settings') return <SettingsPane />
  if (peerId === undefined) return <EmptyPane />
  return (
    <Suspense fallback={null}>
      {place.content ? (
        <MediaRoute peerId={peerId} kind={place.content} />
      ) : (
        <div className={styles.chat}>
          {!(isNarrow && hasInfo) && (
            <div className={styles.conversation}>
              <ConversationRoute
                peerId={peerId}
                hasInfo={hasInfo}
                asksSearch={asksSearch}
                onSearchBegun={() => setAsksSearch(false)}
              />
            </div>
          )}
          {hasInfo && (
            <aside className={styles.info}>
              <Suspense fallback={null}>
                <ContactRoute
                  peerId={peerId}
                  isPage={isNarrow}
                  onSearch={() => setAsksSearch(true)}
                />
              </Suspense>
            </aside>
          )}
        </div>
      )}
    </Suspense>
  )
}
