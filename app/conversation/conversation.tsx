import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { kindOf } from '../../schema/conversation.ts'
import {
  type KnownGroup,
  type KnownPeer,
  nameOf,
  pictureOf,
} from '../database/storage/known-peer.ts'
import type { ConversationView, Messenger } from '../sync/messenger-types.ts'
import { IconButton } from '../ui/buttons/icon-button.tsx'
import { useAttempt } from '../ui/dialogs/lazy-dialogs.tsx'
import { isShortcut } from '../ui/hooks/shortcuts.ts'
import { useLatest } from '../ui/hooks/use-latest.ts'
import { useLivePart, useLiveValue } from '../ui/hooks/use-live-value.ts'
import { findOverlay } from '../ui/layers/find-focus-path.ts'
import { leaveBackLayers } from '../ui/layers/leave-back-layers.ts'
import { LazyActionMenu } from '../ui/menus/lazy-action-menu.tsx'
import type { MenuAction, MenuPoint } from '../ui/menus/menu-action.ts'
import { MuteMenu } from '../ui/menus/mute-menu.tsx'
import { Avatar } from '../ui/people/avatar.tsx'
import { usePresenceWords } from '../ui/people/use-presence-words.ts'
import { VerifiedSign } from '../ui/people/verified-sign.tsx'
import { joinClassNames } from '../ui/styles/join-class-names.ts'
import { PhoneNumber } from '../ui/text/phone-number.tsx'
import {
  describeTyping,
  useGroupCreation,
  useMemberNames,
  useTypingNames,
} from './composer/use-group-state.ts'
import type { ConversationProps } from './conversation-props.ts'
import type { OpenDialog } from './dialogs/open-dialog.ts'
import type { MessageListHandle } from './message-list/message-list.tsx'
import { OpenConversation } from './open-conversation.tsx'
import styles from './styles/conversation.module.css'

/** The screen of one conversation. */
export function Conversation(props: ConversationProps) {
  const { messenger, peerId, onBack, onOpenMedia } = props
  const peer = useLiveValue(messenger.peers.get(peerId))
  // A later change belongs to the next opening.
  const [startPlace] = useState(props.startPlace)
  const onStartShown = useLatest(props.onStartShown)
  useEffect(() => {
    if (startPlace) onStartShown.current()
  }, [startPlace, onStartShown])
  const list = useRef<MessageListHandle>(null)
  const view = useConversationView(messenger, peerId, startPlace?.messageId)
  const [searchWish, setSearchWish] = useState(0)
  const [dialog, setDialog] = useState<OpenDialog>()
  const search = () => {
    messenger.search.prepare()
    setSearchWish((wish) => wish + 1)
  }
  useSearchKeys(search)
  const { asksSearch } = props
  const beginSearch = useLatest(() => {
    search()
    props.onSearchBegun()
  })
  useEffect(() => {
    if (asksSearch) beginSearch.current()
  }, [asksSearch, beginSearch])
  return (
    <section className={styles.conversation} aria-label={`Chat with ${nameOf(peer)}`}>
      <ConversationHeader
        messenger={messenger}
        peerId={peerId}
        peer={peer}
        onBack={onBack && (() => leaveBackLayers(onBack))}
        onSearch={search}
        onOpenMedia={() => onOpenMedia(list.current?.readPlace())}
        hasInfo={props.hasInfo}
        onOpenInfo={() => props.onOpenInfo(list.current?.readPlace())}
        onGoToDate={() => setDialog({ kind: 'date' })}
      />
      {props.notice}
      {view && (
        <OpenConversation
          {...props}
          startPlace={startPlace}
          view={view}
          list={list}
          peer={peer}
          peerName={nameOf(peer)}
          searchWish={searchWish}
          onSearchEnd={() => setSearchWish(0)}
          dialog={dialog}
          onDialog={setDialog}
        />
      )}
    </section>
  )
}

/** The open conversation with this person; closed on unmount. Undefined at first. */
function useConversationView(
  messenger: Messenger,
  peerId: string,
  /** A message to start at instead of the first unread one. */
  startsAtId: string | undefined,
): ConversationView | undefined {
  const [view, setView] = useState<ConversationView>()
  // Before the first frame: the composer comes with the header.
  useLayoutEffect(() => {
    const opened = messenger.openConversation(peerId, { startsAtUnread: true, startsAtId })
    setView(opened)
    return () => {
      setView(undefined)
      opened.close()
    }
  }, [messenger, peerId, startsAtId])
  return view
}

/** Ctrl+F and Ctrl+K (Cmd on a Mac) search the open chat, in place of the browser's search. */
function useSearchKeys(onSearch: () => void): void {
  const latest = useLatest(onSearch)
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (!isShortcut(event, 'search') || findOverlay()) return
      event.preventDefault()
      latest.current()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [latest])
}

interface ConversationHeaderProps {
  messenger: Messenger
  peerId: string
  peer: KnownPeer | undefined
  /** Set on screens that show only the conversation. */
  onBack: (() => void) | undefined
  onSearch(): void
  onOpenMedia(): void
  hasInfo: boolean
  onOpenInfo(): void
  onGoToDate(): void
}

function ConversationHeader(props: ConversationHeaderProps) {
  const { messenger, peerId, peer, onBack } = props
  const person = peer?.isGroup ? undefined : peer
  const isGroup = peer?.isGroup === true
  const personId = isGroup ? undefined : peerId
  const { words, isOnline, isTyping } = usePresenceWords(messenger, personId, person)
  const name = nameOf(peer)
  return (
    <header className={styles.header}>
      {onBack && <IconButton icon="back" label="Back to chats" onClick={onBack} />}
      <div className={styles.who}>
        <div className={styles.headerFace}>
          <Avatar
            name={name}
            picture={pictureOf(peer)}
            size={2.5}
            isOnline={isOnline}
            isGroup={isGroup}
          />
        </div>
        <div className={styles.headerWords}>
          <h2 className={styles.name}>
            <span className={styles.nameText}>{name}</span>
            {!isGroup && <VerifiedSign trust={messenger.encryption.trustIn(peerId)} />}
            {(person?.phone_number || kindOf(peer) === 'business') && (
              <span className={styles.badge}>WhatsApp</span>
            )}
          </h2>
          <p className={joinClassNames(styles.subtitle, isTyping && styles.isTyping)}>
            {peer?.isGroup ? <GroupWords messenger={messenger} group={peer} /> : words}
            {person?.phone_number && (
              <>
                {words && ' · '}
                <PhoneNumber digits={person.phone_number} />
              </>
            )}
          </p>
        </div>
        {/* Over both: a heading may not lie in a button. */}
        <button
          type="button"
          className={styles.opensInfo}
          aria-label={`${isGroup ? 'Group' : 'Contact'} info: ${name}`}
          aria-expanded={props.hasInfo}
          onClick={props.onOpenInfo}
        />
      </div>
      <HeaderTools {...props} />
    </header>
  )
}

/** Who is in the group, or why it is none yet. */
function GroupWords({ messenger, group }: { messenger: Messenger; group: KnownGroup }) {
  const names = useMemberNames(messenger, group)
  const creation = useGroupCreation(messenger, group._id)
  const typing = useTypingNames(messenger, group._id)
  const isLive = useLivePart(messenger.connection, ({ state }) => state === 'live')
  if (group.hasLeft) return "You aren't in this group"
  if (creation?.state === 'refused') return "This group wasn't created"
  if (creation && !isLive) return `Waiting for a connection · ${names ?? ''}`
  return typing.length > 0 ? describeTyping(typing) : names
}

interface HeaderToolsProps {
  messenger: Messenger
  peerId: string
  onSearch(): void
  onOpenMedia(): void
  onGoToDate(): void
}

/** The buttons at the end of the header: the search, and three for what people look for most. */
function HeaderTools(props: HeaderToolsProps) {
  const { messenger, peerId, onSearch, onOpenMedia, onGoToDate } = props
  const [menuPoint, setMenuPoint] = useState<MenuPoint>()
  const [mutePoint, setMutePoint] = useState<MenuPoint>()
  const { attempt, failure } = useAttempt()
  const isMuted = useLivePart(messenger.conversations, (rows) =>
    Boolean(rows.find((row) => row.peerId === peerId)?.isMuted),
  )
  const setMuted = (...change: [isMuted: boolean, until?: number]) =>
    attempt(messenger.commands.setMuted(peerId, ...change), 'Failed to change chat')
  const actions: MenuAction[] = [
    { label: 'Search', icon: 'search', onSelect: onSearch },
    { label: 'Media, files and links', icon: 'picture', onSelect: onOpenMedia },
    { label: 'Go to date', icon: 'calendar', onSelect: onGoToDate },
    {
      label: isMuted ? 'Unmute' : 'Mute',
      icon: isMuted ? 'unmute' : 'mute',
      onSelect: () => (isMuted ? setMuted(false) : setMutePoint(menuPoint)),
    },
  ]
  return (
    <div className={styles.tools}>
      <IconButton
        className={styles.wide}
        icon="picture"
        label="Media, files and links"
        onClick={onOpenMedia}
      />
      <IconButton
        className={styles.wide}
        icon="calendar"
        label="Go to date"
        aria-haspopup="dialog"
        onClick={onGoToDate}
      />
      <IconButton icon="search" label="Search in chat (Ctrl+F)" onClick={onSearch} />
      <IconButton
        icon="more"
        label="More"
        aria-haspopup="menu"
        aria-expanded={menuPoint !== undefined}
        onClick={(event) => {
          const box = event.currentTarget.getBoundingClientRect()
          setMenuPoint({ x: box.left, y: box.bottom })
        }}
      />
      {menuPoint && (
        <LazyActionMenu
          label="Chat actions"
          point={menuPoint}
          actions={actions}
          onClose={() => setMenuPoint(undefined)}
        />
      )}
      {mutePoint && (
        <MuteMenu
          point={mutePoint}
          now={messenger.now()}
          onMute={(until) => setMuted(true, until)}
          onClose={() => setMutePoint(undefined)}
        />
      )}
      {failure}
    </div>
  )
}
