import {
  type Dispatch,
  type RefObject,
  type SetStateAction,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { lineOf } from '../../schema/api/groups.ts'
import { limits } from '../../schema/limits.ts'
import type { MessageDocument } from '../../schema/message.ts'
import type { KnownPeer } from '../database/storage/known-peer.ts'
import type { ConversationView } from '../sync/messenger-types.ts'
import { isEncrypted as isChatEncrypted } from '../sync/people/encryption-states.ts'
import { useLatest } from '../ui/hooks/use-latest.ts'
import { useLivePart, useLiveValue } from '../ui/hooks/use-live-value.ts'
import { useToday } from '../ui/hooks/use-today.ts'
import { useBackLayer } from '../ui/layers/use-back-layer.ts'
import { Notice, useNotice } from '../ui/layout/notice.tsx'
import { VisuallyHidden } from '../ui/layout/page.tsx'
import { copyText } from '../ui/text/copy-text.ts'
import { describeLine, listNamedInLine } from '../ui/text/describe-line.ts'
import { describeMessage } from '../ui/text/describe-message.ts'
import { ChatSearch } from './chat-search/chat-search.tsx'
import { newMode, type WriteMode } from './composer/composer-tools.ts'
import { useGroupCreation } from './composer/use-group-state.ts'
import { useKeptMode } from './composer/use-kept-mode.ts'
import { describeNoReply, useWriteObstacle, WriteArea } from './composer/write-area.tsx'
import type { ConversationProps } from './conversation-props.ts'
import { ConversationDialog } from './dialogs/conversation-dialog.tsx'
import type { OpenDialog } from './dialogs/open-dialog.ts'
import { canReact, isEditable } from './message/list-message-actions.ts'
import { quoteInPrivate } from './message/quote-in-private.ts'
import { useSelection } from './message/use-selection.ts'
import { buildMessageRows } from './message-list/build-message-rows.ts'
import { MessageList, type MessageListHandle } from './message-list/message-list.tsx'
import { NoMessages } from './message-list/no-messages.tsx'
import { type ShownWindow, stepWindow } from './message-list/step-window.ts'
import { useReading } from './message-list/use-reading.ts'
import { SelectionBar } from './selection-bar.tsx'
import styles from './styles/conversation.module.css'
import { useAuthorNames } from './use-author-names.ts'
import { useMessageHandlers } from './use-message-handlers.ts'
import { type ReactionWords, useReactionNews } from './use-reaction-news.ts'

const framesMax = 60

/**
 * The list may remount its messages while it moves: the focus counts as set only after these
 * frames.
 */
const stillFrames = 8

interface OpenConversationProps extends ConversationProps {
  view: ConversationView
  list: RefObject<MessageListHandle | null>
  peerName: string
  peer: KnownPeer | undefined
  /** 0 without a search; increases with each request to search. */
  searchWish: number
  onSearchEnd(): void
  dialog: OpenDialog | undefined
  onDialog: Dispatch<SetStateAction<OpenDialog | undefined>>
}

/** The messages and the composer, with what both share: reply, edit, selection, menus. */
export function OpenConversation(props: OpenConversationProps) {
  const { messenger, peerId, peerName, view, drawMessage, startMessageId, onStartShown } = props
  const { list, searchWish, dialog, onDialog } = props
  const window = useLiveValue(view.messages)
  const [mode, setMode] = useState<WriteMode>(newMode)
  useKeptMode({ messenger, peerId, mode, setMode })
  const [markQuery, setMarkQuery] = useState('')
  const [focusWish, setFocusWish] = useState(0)
  const { words: notice, say } = useNotice()
  const selection = useSelection(messenger)
  const obstacle = useWriteObstacle(messenger, peerId)
  const today = useToday()
  const isTyping = useLivePart(messenger.presence, (presence) => presence.isTyping(peerId))
  const { isLoaded, hasFailed } = window
  const isEmpty = window.items.length === 0
  const onDrawn = useLatest(props.onDrawn)
  useLayoutEffect(() => {
    if (isLoaded || hasFailed) onDrawn.current()
  }, [isLoaded, hasFailed, onDrawn])
  const isWaitingGroup = useGroupCreation(messenger, peerId)?.state === 'waiting'
  const failure = useFailure(window.items)
  const nameOf = useAuthorNames({
    messenger,
    peer: props.peer,
    authorIds: useAuthorIds(window.items),
  })
  const reaction = useReactionNews({ messenger, peerId, nameOf })
  // Nothing is visible while loading: a message that arrives meanwhile counts as unseen.
  const isWholeInSight = isLoaded && isEmpty
  const setSight = useReading({ messenger, peerId, view, isLoaded, isWholeInSight })

  const shown = useSteppedWindow(window.items)
  const ownIdInGroup = props.peer?.isGroup ? messenger.userId : undefined
  const { firstUnreadId, hasNewer, hasOlder } = window
  const { changedAt: keyChanges } = useLiveValue(messenger.encryption.trustIn(peerId))
  const isEncrypted = useLivePart(messenger.encryption.of(peerId), isChatEncrypted)
  const rows = useMemo(
    () =>
      buildMessageRows(shown.items, {
        ownIdInGroup,
        firstUnreadId,
        today,
        keyChanges,
        isEncrypted,
        holdsNewest: !hasNewer,
        holdsOldest: !hasOlder,
      }),
    [shown.items, ownIdInGroup, firstUnreadId, today, keyChanges, isEncrypted, hasNewer, hasOlder],
  )

  const scrollTo = useCallback(
    (messageId: string) => list.current?.show(messageId) ?? false,
    [list],
  )
  const { highlightedId, showMessage } = useShowMessage({ view, scrollTo })
  useEffect(() => {
    if (!isLoaded || !startMessageId) return
    void showMessage(startMessageId)
    onStartShown()
  }, [isLoaded, startMessageId, showMessage, onStartShown])

  const leadTo = async (messageId: string) => {
    if (await showMessage(messageId)) return true
    const isKept = messenger.messages.get(messageId).getSnapshot()
    say(isKept ? 'This message was deleted with the chat' : "This message isn't on this device")
    return false
  }
  const onForwarded = (peerIds: readonly string[]) => {
    selection.clear()
    if (peerIds.length > 1) say(`Forwarded to ${peerIds.length} chats`)
    else if (peerIds[0] === peerId) list.current?.showEnd()
    else if (peerIds[0]) props.onOpenChat(peerIds[0])
  }
  const copy = (text: string) => void copyText(text).then((isCopied) => isCopied && say('Copied'))
  const actions = useMessageHandlers({
    messenger,
    setMode(next) {
      if (next.kind !== 'reply' || !obstacle) return setMode(next)
      say(describeNoReply(obstacle, peerName))
    },
    replyInPrivate(message) {
      const { senderId } = message
      const begun = messenger.drafts.begin(senderId).text
      const text = quoteInPrivate(message, { groupName: peerName, begun })
      messenger.drafts.set(senderId, text)
      props.onOpenChat(senderId)
    },
    copy,
    say,
    toggleSelected: selection.toggle,
    forward: (messages) => onDialog({ kind: 'forward', messages }),
    askDeletion: (messages) => onDialog({ kind: 'delete', messages }),
    showInformation: (message) => onDialog({ kind: 'information', message }),
    chooseReaction: (message, point) =>
      onDialog({ kind: 'react', message, point, isExpanded: false }),
    showMessage: leadTo,
    showPerson(userId) {
      if (!selection.isSelecting) props.onOpenPerson(userId, list.current?.readPlace())
    },
    async goToMessage(messageId) {
      if (await leadTo(messageId)) focusMessage(messageId)
    },
  })
  const { wish } = props
  const fulfil = useLatest(({ kind, message }: NonNullable<typeof wish>) => {
    actions[kind](message)
    props.onWishDone?.()
  })
  useEffect(() => {
    if (wish) fulfil.current(wish)
  }, [wish, fulfil])
  // What became of a group is no message: nothing can be done with it.
  const findShown = (messageId: string) =>
    shown.items.find((item) => item._id === messageId && !lineOf(item))
  const isOver = obstacle === 'left'
  const isReactable = (message: MessageDocument) => canReact(message) && !isOver
  const endSearch = () => {
    setMarkQuery('')
    props.onSearchEnd()
  }
  useBackLayer(searchWish > 0, endSearch)
  useBackLayer(selection.isSelecting, selection.clear)
  const editNewest = () => {
    // Further up, the window lacks the newest messages.
    if (window.hasNewer) return
    const isOwn = (message: MessageDocument) => message.senderId === messenger.userId
    const newest = window.items.findLast((message) => isOwn(message) && isEditable(message))
    if (newest) actions.edit(newest)
  }
  const goToEnd = async (key: 'Home' | 'End') => {
    if (key === 'Home') {
      const oldestId = await view.jumpToTime(0)
      if (oldestId && (await showMessage(oldestId))) focusMessage(oldestId)
      return
    }
    if (window.hasNewer) await view.jumpToNewest()
    list.current?.showEnd()
    const newest = view.messages.getSnapshot().items.at(-1)
    if (newest) focusMessage(newest._id)
  }
  const goToDate = async (time: number) => {
    const messageId = await view.jumpToTime(time)
    if (messageId) await showMessage(messageId)
    else list.current?.showEnd()
  }

  return (
    <>
      {searchWish > 0 && (
        <ChatSearch
          messenger={messenger}
          peerId={peerId}
          askServer={props.askServer}
          wish={searchWish}
          onQuery={setMarkQuery}
          onShow={showMessage}
          onFocusLost={() => setFocusWish((wish) => wish + 1)}
          onClose={endSearch}
        />
      )}
      {rows.length > 0 ? (
        <MessageList
          ref={list}
          view={view}
          window={window}
          rows={rows}
          startPlace={props.startPlace}
          isShift={shown.isShift}
          generation={shown.generation}
          ownId={messenger.userId}
          peerName={peerName}
          onLearnEncryption={() => props.onOpenEncryption(list.current?.readPlace())}
          isTyping={isTyping && !window.hasNewer}
          onMention={(isInside) => {
            const [first] = window.unseenMentions
            if (first) actions[isInside ? 'goToMessage' : 'showMessage'](first)
          }}
          onSight={setSight}
          onEndKey={(key) => void goToEnd(key)}
          onDay={(day) => onDialog({ kind: 'date', day })}
          onMenu={(messageId, point) => {
            const message = findShown(messageId)
            if (message && selection.isSelecting) selection.toggle(message)
            else if (message) onDialog({ kind: 'menu', message, point })
          }}
          onClick={(messageId) => {
            const message = findShown(messageId)
            if (message && selection.isSelecting) selection.toggle(message)
          }}
          canReply={(messageId) => {
            const message = findShown(messageId)
            return (
              !selection.isSelecting && !obstacle && !!message && message.deletedAt === undefined
            )
          }}
          onReply={(messageId) => {
            const message = findShown(messageId)
            if (message) actions.reply(message)
          }}
          drawMessage={(row, { hoveredId, isPulled, isTabStop }) =>
            row.line ? (
              <GroupLine
                message={row.message}
                words={describeLine(
                  { senderId: row.message.senderId, line: row.line },
                  { ownId: messenger.userId, nameOf },
                )}
                isTabStop={isTabStop}
              />
            ) : (
              drawMessage({
                message: row.message,
                isOwn: row.message.senderId === messenger.userId,
                ownId: messenger.userId,
                canReact: isReactable(row.message),
                nameOf,
                startsGroup: row.startsGroup,
                showsAuthor: row.showsAuthor ?? false,
                album: row.album?.map((message) => ({
                  message,
                  canReact: isReactable(message),
                  isSelected: selection.isSelecting ? selection.has(message._id) : undefined,
                  isHighlighted: message._id === highlightedId,
                })),
                hoveredId: row.album && hoveredId,
                isHovered: hoveredId !== undefined,
                isPulled,
                isSelected: selection.isSelecting ? selection.has(row.message._id) : undefined,
                isHighlighted: row.message._id === highlightedId,
                markQuery,
                isTabStop,
                quoted: row.message.replyTo ? findShown(row.message.replyTo) : undefined,
                findMessage: messenger.messages.get,
                actions,
              })
            )
          }
        />
      ) : (
        <NoMessages
          isLoaded={isLoaded}
          hasFailed={hasFailed}
          isTyping={isTyping}
          peerName={peerName}
          canWrite={!obstacle}
          isGroup={props.peer?.isGroup === true}
          isWaiting={isWaitingGroup}
        />
      )}
      <Notice words={notice} />
      {selection.isSelecting && (
        <SelectionBar
          messenger={messenger}
          selection={selection}
          onCopy={copy}
          onDialog={onDialog}
        />
      )}
      {props.undo}
      <WriteArea
        messenger={messenger}
        peerId={peerId}
        peerName={peerName}
        nameOf={nameOf}
        mode={mode}
        focusWish={focusWish}
        obstacle={obstacle}
        isAside={selection.isSelecting}
        drawTools={props.drawTools}
        readLink={props.readLink}
        onModeChange={setMode}
        onEditNewest={editNewest}
        onSent={() => {
          view.dismissUnreadLine()
          list.current?.showEnd()
        }}
      />
      <ArrivalAnnouncement
        arrival={window.arrival}
        reaction={reaction}
        failure={failure}
        ownId={messenger.userId}
        nameOf={nameOf}
      />
      {dialog && (
        <ConversationDialog
          messenger={messenger}
          dialog={dialog}
          selection={selection}
          isOver={isOver}
          isInGroup={props.peer?.isGroup === true}
          actions={actions}
          drawReactionBar={props.drawReactionBar}
          oldestTime={
            (dialog.kind === 'date' && dialog.day) || (rows[0]?.message.orderedAt ?? Date.now())
          }
          onForwarded={onForwarded}
          onDate={(time) => void goToDate(time)}
          onDialog={onDialog}
          // The menu's action may have opened something else by now.
          onClose={() => onDialog((now) => (now === dialog ? undefined : now))}
        />
      )}
    </>
  )
}

/** Whoever wrote these messages, reacted to them, or stands in a line among them. */
function useAuthorIds(items: readonly MessageDocument[]): readonly string[] {
  return useMemo(
    () =>
      items.flatMap((message) => {
        const { senderId, reactions } = message
        const line = lineOf(message)
        return line
          ? listNamedInLine({ senderId, line })
          : [senderId, ...Object.keys(reactions ?? {})]
      }),
    [items],
  )
}

/** The newest failure among these messages, as soon as it is known. */
function useFailure(items: readonly MessageDocument[]): Failure | undefined {
  const [failure, setFailure] = useState<Failure>()
  const before = useRef(items)
  useEffect(() => {
    const found = findFailure(before.current, items)
    before.current = items
    if (found) setFailure(found)
  }, [items])
  return failure
}

/**
 * The items in steps that the virtual list can take: a change of both ends takes two steps before
 * one paint.
 */
function useSteppedWindow<T extends { _id: string }>(items: readonly T[]): ShownWindow<T> {
  const [kept, setShown] = useState<ShownWindow<T>>({
    items,
    goal: items,
    isShift: false,
    generation: 0,
  })
  const shown = kept.goal === items ? kept : stepWindow(kept, items)
  if (shown !== kept) setShown(shown)
  useLayoutEffect(() => {
    // A step is one render: a row that comes at the end later must not count as one at the start.
    if (shown.items !== shown.goal || shown.isShift)
      setShown({ ...shown, items: shown.goal, isShift: false })
  }, [shown])
  return shown
}

/** Focuses a message that is being scrolled into view, as soon as it renders. */
function focusMessage(messageId: string): void {
  const progress = { framesLeft: framesMax, held: 0 }

  function look() {
    const element = document.querySelector<HTMLElement>(`[data-message-id="${messageId}"]`)
    const { activeElement } = document
    if (element && element === activeElement) progress.held += 1
    // The person has moved the focus on.
    else if (progress.held > 0 && activeElement !== document.body) return
    else element?.focus({ preventScroll: true })
    progress.framesLeft -= 1
    if (progress.framesLeft > 0 && progress.held < stillFrames) requestAnimationFrame(look)
  }

  look()
}

interface ArrivalAnnouncementProps {
  arrival: MessageDocument | undefined
  reaction: ReactionWords | undefined
  failure: Failure | undefined
  ownId: string
  nameOf(userId: string): string
}

/** Announces arriving messages and failed ones to screen readers, wherever the focus is. */
function ArrivalAnnouncement(props: ArrivalAnnouncementProps) {
  const { arrival, reaction, failure } = props
  return (
    <VisuallyHidden>
      <span role="status">
        {/* The key makes screen readers announce the same words again. */}
        {arrival && <span key={arrival._id}>{describeArrival(arrival, props)}</span>}
      </span>
      <span role="status">{reaction && <span key={reaction.key}>{reaction.words}</span>}</span>
      <span role="status">{failure && <span key={failure.key}>{failure.words}</span>}</span>
    </VisuallyHidden>
  )
}

function describeArrival(
  arrival: MessageDocument,
  to: Pick<ArrivalAnnouncementProps, 'ownId' | 'nameOf'>,
): string {
  const { senderId } = arrival
  const line = lineOf(arrival)
  if (line) return describeLine({ senderId, line }, to)
  return `${to.nameOf(senderId)}: ${describeMessage(arrival)}`
}

interface GroupLineProps {
  message: MessageDocument
  words: string
  isTabStop: boolean
}

/** What became of the group, among its messages. */
function GroupLine({ message, words, isTabStop }: GroupLineProps) {
  return (
    <div className={styles.groupLine}>
      <p data-message-id={message._id} tabIndex={isTabStop ? 0 : -1} dir="auto">
        {words}
      </p>
    </div>
  )
}

interface ShowMessageOptions {
  view: ConversationView
  /** Scrolls to a loaded message; false if it is not loaded. */
  scrollTo(messageId: string): boolean
}

/**
 * Shows one message, however old: moves the window to it, scrolls it into the middle, highlights it
 * for 2 s.
 */
function useShowMessage({ view, scrollTo }: ShowMessageOptions) {
  const [shownId, setShownId] = useState<string>()
  const showMessage = useCallback(
    async (messageId: string) => {
      setShownId(undefined)
      const isHere = scrollTo(messageId) || (await view.jumpTo(messageId))
      if (isHere) setShownId(messageId)
      return isHere
    },
    [view, scrollTo],
  )
  useEffect(() => {
    if (shownId === undefined) return
    scrollTo(shownId)
    return afterLight(shownId, () => setShownId(undefined))
  }, [shownId, scrollTo])
  return { highlightedId: shownId, showMessage }
}

/**
 * Calls back once a message has been lit for its time. The time begins with the frame that draws it: a busy device gets
 * to it seconds after it was asked to, when the light would be out again.
 * @returns ends it
 */
function afterLight(messageId: string, end: () => void): () => void {
  const waits = { framesLeft: framesMax, frame: 0 }
  let timer: ReturnType<typeof setTimeout> | undefined

  function look() {
    waits.framesLeft -= 1
    const isDrawn = document.querySelector(`[data-message-id="${messageId}"]`) !== null
    if (!isDrawn && waits.framesLeft > 0) waits.frame = requestAnimationFrame(look)
    // This callback runs before its frame is drawn.
    else waits.frame = requestAnimationFrame(begin)
  }

  function begin() {
    timer = setTimeout(end, limits.searchHighlightMs)
  }

  waits.frame = requestAnimationFrame(look)
  return () => {
    cancelAnimationFrame(waits.frame)
    clearTimeout(timer)
  }
}

interface Failure {
  /** Unique for each failure, also of the same message. */
  key: string
  words: string
}

/**
 * Finds a failure between two versions of the window: a message that was not sent, or a change that
 * was refused. One that failed before it entered the window is not new.
 */
export function findFailure(
  before: readonly MessageDocument[],
  now: readonly MessageDocument[],
): Failure | undefined {
  for (const message of now.toReversed()) {
    const failure = describeFailure(message)
    if (!failure) continue
    const earlier = before.find(({ _id }) => _id === message._id)
    if (earlier && describeFailure(earlier)?.key !== failure.key) return failure
  }
  return undefined
}

function describeFailure(message: MessageDocument): Failure | undefined {
  const { _id, status, attempt, refused } = message
  if (status === 'failed') {
    const reason = message.error ?? 'Failed to send message'
    return { key: `${_id} ${attempt}`, words: describe('Not sent', message, reason) }
  }
  if (!refused || refused.isDismissed) return undefined
  return {
    key: `${_id} refused ${refused.at}`,
    words: describe('Not changed', message, refused.error),
  }
}

function describe(what: string, message: MessageDocument, reason: string): string {
  const words = describeMessage(message)
  const end = /[\p{Sentence_Terminal}…]$/u.test(words) ? '' : '.'
  // Beneath a message, where nothing else says so, some reasons begin with these words.
  const why = reason.replace(/^Not sent: (.)/, (_, first: string) => first.toUpperCase())
  return `${what}: ${words}${end} ${why}`
}
