import { lazy, type ReactNode, Suspense, useCallback, useEffect, useState } from 'react'
import { Navigate, useLocation, useNavigate } from 'react-router-dom'
import { idPattern } from '../../../schema/id.ts'
import { ChatListPanel } from '../../chats/chat-list-panel.tsx'
import type { Messenger } from '../../sync/messenger-types.ts'
import { IconButton } from '../../ui/buttons/icon-button.tsx'
import { useLiveValue } from '../../ui/hooks/use-live-value.ts'
import { useMediaQuery } from '../../ui/hooks/use-media-query.ts'
import { Icon } from '../../ui/icons/icon.tsx'
import { PetrelMark } from '../../ui/icons/petrel-mark.tsx'
import { joinClassNames } from '../../ui/styles/join-class-names.ts'
import { listLabels } from '../../whatsapp/channel.ts'
import { useShellActions } from '../main-menu/use-shell-actions.tsx'
import { BackLink } from '../navigation/back-link.tsx'
import { PageTitle } from '../navigation/page-title.tsx'
import { Rail } from '../navigation/rail.tsx'
import {
  type ChatPlace,
  readChatPlace,
  readNavigationState,
} from '../navigation/read-chat-place.ts'
import { useChangeState } from '../navigation/use-change-state.ts'
import { useOwnFace } from '../navigation/use-own-profile.ts'
import { useProfilePanel } from '../navigation/use-profile-panel.ts'
import { countUnreadChats, useUnreadTotal } from '../navigation/use-unread-total.ts'
import { ListNotices } from '../notices/list-notices.tsx'
import { UndoSnackbar } from '../notices/undo-snackbar.tsx'
import { narrowScreen, phoneScreen } from '../screen/narrow-screen.ts'
import { useMessenger } from '../session/messenger-context.tsx'
import { useServices } from '../session/services-context.ts'
import { BottomBar } from './bottom-bar.tsx'
import styles from './chat-layout.module.css'
import firstLoadStyles from './first-load.module.css'
import { NotFoundPage } from './not-found-page.tsx'
import { BeforeLeaving, type PaneMotion, usePaneMotion } from './pane-motion.ts'

const NewChat = lazy(() =>
  import('../open-chat/new-chat.tsx').then((module) => ({ default: module.NewChat })),
)

const SettingsList = lazy(() =>
  import('./settings-list.tsx').then((module) => ({ default: module.SettingsList })),
)

const ProfilePanelRoute = lazy(() =>
  import('../navigation/profile-panel-route.tsx').then((module) => ({
    default: module.ProfilePanelRoute,
  })),
)

const stepMs = 300

const hideAfterMs = 400

const step = { min: 4, max: 11 }

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

const EncryptionRoute = lazy(() =>
  import('../open-chat/encryption-route.tsx').then((module) => ({
    default: module.EncryptionRoute,
  })),
)

const EmptyPane = lazy(() =>
  import('./empty-pane.tsx').then((module) => ({ default: module.EmptyPane })),
)

const SettingsPane = lazy(() =>
  import('./empty-pane.tsx').then((module) => ({ default: module.SettingsPane })),
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
  if (!place) return <NotFoundPage />
  // A group's chat lies where a person's does.
  if (place.groupId !== undefined && idPattern.test(place.groupId)) {
    return <Navigate to={`/chat/${place.groupId}`} replace />
  }
  return <PlacedChatLayout place={place} />
}

function PlacedChatLayout({ place }: { place: ChatPlace }) {
  const messenger = useMessenger()
  const face = useOwnFace()
  const isPhone = useMediaQuery(phoneScreen)
  const isNarrow = useMediaQuery(narrowScreen)
  const [isDrawerOpen, setIsDrawerOpen] = useState(false)
  const shell = useShellActions({ hasBar: isPhone })
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
  const motion = usePaneMotion({ isShown: isPaneShown, isNarrow })
  const isListBeneath = isPaneShown && motion.phase !== 'still'
  const showsChat = !place.content && !(isNarrow && place.hasInfo)
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
          className={joinClassNames(
            styles.list,
            isPaneShown && (isListBeneath ? motion.classNames.beneath : styles.away),
          )}
          role={isNarrow ? 'main' : undefined}
        >
          <div className={styles.listBody}>
            <ListPanel
              place={place}
              onOpenDrawer={isPhone ? () => setIsDrawerOpen(true) : undefined}
            />
          </div>
          {isPhone && <BottomBar current={pickBarItem(place)} unreadChats={unreadChats} />}
        </div>
        <main
          ref={motion.pane}
          className={joinClassNames(
            styles.pane,
            !isPaneShown && styles.away,
            motion.classNames.pane,
          )}
          onAnimationEnd={motion.onAnimationEnd}
        >
          <Pane place={place} isNarrow={isNarrow} motion={motion} />
        </main>
        <div
          ref={motion.leaving}
          className={joinClassNames(styles.leaving, motion.classNames.leaving)}
          aria-hidden="true"
        />
        {isDrawerOpen && (
          <Suspense fallback={null}>
            <Drawer {...nav} {...own} onClose={() => setIsDrawerOpen(false)} />
          </Suspense>
        )}
        {shell.dialog}
        <UndoSnackbar
          isOverList={!isPaneShown}
          shownChatId={showsChat ? place.peerId : undefined}
        />
      </div>
      {firstLoad.isShown && <FirstLoadScreen percent={firstLoad.percent} />}
    </>
  )
}

function pickBarItem({ section }: ChatPlace) {
  if (section === 'starred' || section === 'settings') return section
  return section === 'chats' || section === 'archived' ? 'chats' : undefined
}

interface PaneProps {
  place: ChatPlace
  isNarrow: boolean
  motion: PaneMotion
}

function Pane({ place, isNarrow, motion }: PaneProps) {
  // The contact panel asks for a search, and the conversation takes it once it is shown.
  const [asksSearch, setAsksSearch] = useState(false)
  const { peerId, hasInfo = false } = place
  // A phone shows only the list, and loads no picture for what it hides.
  if (peerId === undefined && isNarrow) return null
  if (peerId === undefined) {
    return (
      <Suspense fallback={null}>
        {place.section === 'settings' ? <SettingsPane /> : <EmptyPane />}
      </Suspense>
    )
  }
  return (
    <Suspense fallback={null}>
      <BeforeLeaving onLeave={motion.onLeave} />
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
                onDrawn={motion.onDrawn}
              />
            </div>
          )}
          {hasInfo && (
            <aside className={styles.info}>
              <Suspense fallback={null}>
                {place.hasEncryption ? (
                  <EncryptionRoute peerId={peerId} />
                ) : (
                  <ContactRoute
                    peerId={peerId}
                    isPage={isNarrow}
                    onSearch={() => setAsksSearch(true)}
                  />
                )}
              </Suspense>
            </aside>
          )}
        </div>
      )}
    </Suspense>
  )
}

function FirstLoadScreen({ percent }: { percent: number }) {
  const isEncrypted = useLiveValue(useServices().encryption.isMade)
  return (
    <div className={firstLoadStyles.screen}>
      <PetrelMark size={64} />
      <p className={firstLoadStyles.text}>Loading your chats [{percent}%]</p>
      <div
        className={firstLoadStyles.track}
        role="progressbar"
        aria-label="Loading your chats"
        aria-valuenow={percent}
        aria-valuemin={0}
        aria-valuemax={100}
      >
        <div className={firstLoadStyles.bar} style={{ transform: `scaleX(${percent / 100})` }} />
      </div>
      {isEncrypted && (
        <p className={firstLoadStyles.note}>
          <Icon name="lock" size={14} /> End-to-end encrypted
        </p>
      )}
    </div>
  )
}

interface FirstLoad {
  isShown: boolean
  /** 0 to 100. */
  percent: number
}

/**
 * The loading screen, only for this person's first visit on this device. Source: decision 61,
 * section 4.
 */
function useFirstLoad(userId: string): FirstLoad {
  const key = `first-load-done ${userId}`
  const [isShown, setIsShown] = useState(() => localStorage.getItem(key) === null)
  const [percent, setPercent] = useState(0)
  const isFull = percent >= 100

  useEffect(() => {
    if (!isShown || isFull) return
    const grow = () => setPercent((now) => Math.min(100, now + drawStep()))
    const timer = setInterval(grow, stepMs)
    return () => clearInterval(timer)
  }, [isShown, isFull])

  useEffect(() => {
    if (!isShown || !isFull) return
    localStorage.setItem(key, 'yes')
    const timer = setTimeout(() => setIsShown(false), hideAfterMs)
    return () => clearTimeout(timer)
  }, [isShown, isFull, key])

  return { isShown, percent }
}

function drawStep(): number {
  return step.min + Math.floor(Math.random() * (step.max - step.min + 1))
}

interface PlaceholderPanelProps {
  title: string
  text: string
  start?: ReactNode
}

interface ListPanelProps {
  place: ChatPlace
  onOpenDrawer: (() => void) | undefined
}

/** The left pane of the chat screen: the list that the URL selects, or one's own profile over it. */
function ListPanel(props: ListPanelProps) {
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
  const { state, key } = useLocation()
  const navigate = useNavigate()
  const changeState = useChangeState()
  const isSearch = place.section === 'search'
  // A search's entry that was rewritten has another key.
  const searchKey = readNavigationState(state, 'searchKey') ?? (isSearch ? key : undefined)
  // A query that was cleared or replaced does not come back after a reload.
  const forgetQuery = useCallback(
    (query: string) => {
      const kept = readNavigationState(state, 'query')
      if (kept === undefined || kept.trim() === query.trim()) return
      changeState({ query: undefined, searchKey })
    },
    [changeState, state, searchKey],
  )
  const [newChat, setNewChat] = useState<'people' | 'invite' | 'group'>()
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
        <SettingsList place="panel" start={drawerButton} />
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
              // A phone has it in its bar.
              className={onOpenDrawer && styles.withoutBar}
              icon="newChat"
              label="New chat"
              aria-haspopup="dialog"
              onClick={() => setNewChat('people')}
            />
          )
        }
        notice={<ListNotices />}
        onInvite={() => setNewChat('invite')}
        onNewChat={() => setNewChat('people')}
        onNewGroup={messenger.groups.isOn() ? () => setNewChat('group') : undefined}
      />
      {newChat && (
        <Suspense fallback={null}>
          <NewChat start={newChat} onClose={() => setNewChat(undefined)} />
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
    <section className={styles.placeholder} aria-label={title}>
      <header className={styles.placeholderHeader}>
        {start}
        <h1>{title}</h1>
      </header>
      <p className={styles.placeholderWords}>{text}</p>
    </section>
  )
}

/** The signed-in person's labels for their customers; the same function until the labels change. */
function useLabels(messenger: Messenger): (peerId: string) => readonly string[] {
  const { whatsApp } = useLiveValue(messenger.settings.values)
  return useCallback((peerId: string) => listLabels(whatsApp, peerId), [whatsApp])
}
