import {
  type Dispatch,
  type RefObject,
  type SetStateAction,
  Suspense,
  useCallback,
  useEffect,
  useMemo,
  useState,
} from 'react'
import type { MessageDocument } from '../../schema/message.ts'
import type { VisibleRange } from '../database/views/reading.ts'
import type { ConversationView } from '../sync/messenger-types.ts'
import { useLivePart, useLiveValue } from '../ui/hooks/use-live-value.ts'
import { useToday } from '../ui/hooks/use-today.ts'
import { useBackLayer } from '../ui/layers/use-back-layer.ts'
import { Notice } from '../ui/layout/notice.tsx'
import { useNotice } from '../ui/layout/use-notice.ts'
import { copyText } from '../ui/text/copy-text.ts'
import { ArrivalAnnouncement } from './announcements/arrival-announcement.tsx'
import { useFailure } from './announcements/use-failure.ts'
import { useReactionNews } from './announcements/use-reaction-news.ts'
import { useKeptMode } from './composer/use-kept-mode.ts'
import { useWriteObstacle } from './composer/use-write-obstacle.ts'
import { WriteArea } from './composer/write-area.tsx'
import { newMode, type WriteMode } from './composer/write-mode.ts'
import type { ConversationProps } from './conversation-props.ts'
import { ConversationDialog } from './dialogs/conversation-dialog.tsx'
import { LazyChatSearchBar } from './dialogs/lazy-parts.tsx'
import type { OpenDialog } from './dialogs/open-dialog.ts'
import { canReact } from './message/can-react.ts'
import { isEditable } from './message/is-editable.ts'
import { useSelection } from './message/use-selection.ts'
import { buildMessageRows } from './message-list/build-message-rows.ts'
import { focusMessage } from './message-list/focus-message.ts'
import { MessageList, type MessageListHandle } from './message-list/message-list.tsx'
import { NoMessages } from './message-list/no-messages.tsx'
import { useReading } from './message-list/use-reading.ts'
import { useShowMessage } from './message-list/use-show-message.ts'
import { useSteppedWindow } from './message-list/use-stepped-window.ts'
import { SelectionBar } from './selection-bar.tsx'
import { useMessageHandlers } from './use-message-handlers.ts'

interface OpenConversationProps extends ConversationProps {
  view: ConversationView
  list: RefObject<MessageListHandle | null>
  peerName: string
  /** 0 without a search; increases with each request to search. */
  searchWish: number
  onSearchEnd(): void
  dialog: OpenDialog | undefined
  onDialog: Dispatch<SetStateAction<OpenDialog | undefined>>
}

const emptySight: VisibleRange = { upTo: 0, holdsEnd: true }

/** The messages and the composer, with what both share: reply, edit, selection, menus. */
export function OpenConversation(props: OpenConversationProps) {
  const { messenger, peerId, peerName, view, drawMessage, startMessageId, onStartShown } = props
  const { list, searchWish, dialog, onDialog } = props
  const window = useLiveValue(view.messages)
  const [mode, setMode] = useState<WriteMode>(newMode)
  useKeptMode({ messenger, peerId, mode, setMode })
  const [sight, setSight] = useState<VisibleRange>()
  const [markQuery, setMarkQuery] = useState('')
  const [focusWish, setFocusWish] = useState(0)
  const { words: notice, say } = useNotice()
  const selection = useSelection(messenger)
  const obstacle = useWriteObstacle(messenger, peerId)
  const today = useToday()
  const isTyping = useLivePart(messenger.presence, (presence) => presence.isTyping(peerId))
  const { isLoaded, hasFailed } = window
  const isEmpty = window.items.length === 0
  const failure = useFailure(window.items)
  const reaction = useReactionNews({ messenger, peerId, peerName })
  // Nothing is visible while loading: a message that arrives meanwhile counts as unseen.
  const isWholeInSight = isLoaded && isEmpty
  useReading({ messenger, peerId, view, isLoaded, sight: isWholeInSight ? emptySight : sight })

  const shown = useSteppedWindow(window.items)
  const { firstUnreadId } = window
  const rows = useMemo(
    () => buildMessageRows(shown.items, { firstUnreadId, today }),
    [shown.items, firstUnreadId, today],
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
      if (obstacle === 'blocked') say(`Unblock ${peerName} to reply`)
      else say("This account was deleted. You can't reply.")
    },
    copy,
    say,
    toggleSelected: selection.toggle,
    forward: (messages) => onDialog({ kind: 'forward', messages }),
    showInformation: (message) => onDialog({ kind: 'information', message }),
    chooseReaction: (message, point) =>
      onDialog({ kind: 'react', message, point, isExpanded: false }),
    showMessage: leadTo,
    async goToMessage(messageId) {
      if (await leadTo(messageId)) focusMessage(messageId)
    },
  })
  const findShown = (messageId: string) => shown.items.find((item) => item._id === messageId)
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
        <Suspense fallback={null}>
          <LazyChatSearchBar
            messenger={messenger}
            peerId={peerId}
            askServer={props.askServer}
            wish={searchWish}
            onQuery={setMarkQuery}
            onShow={showMessage}
            onFocusLost={() => setFocusWish((wish) => wish + 1)}
            onClose={endSearch}
          />
        </Suspense>
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
          peerName={peerName}
          isTyping={isTyping && !window.hasNewer}
          onSight={({ upTo, holdsEnd }) =>
            setSight((now) =>
              now?.upTo === upTo && now.holdsEnd === holdsEnd ? now : { upTo, holdsEnd },
            )
          }
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
          canReply={(messageId) =>
            !selection.isSelecting && !obstacle && findShown(messageId)?.deletedAt === undefined
          }
          onReply={(messageId) => {
            const message = findShown(messageId)
            if (message) actions.reply(message)
          }}
          drawMessage={(row, { isHovered, isPulled, isTabStop }) =>
            drawMessage({
              message: row.message,
              isOwn: row.message.senderId === messenger.userId,
              ownId: messenger.userId,
              canReact: canReact(row.message),
              peerName,
              startsGroup: row.startsGroup,
              isHovered,
              isPulled,
              isSelected: selection.isSelecting ? selection.has(row.message._id) : undefined,
              isHighlighted: row.message._id === highlightedId,
              markQuery,
              isTabStop,
              quoted: row.message.replyTo ? findShown(row.message.replyTo) : undefined,
              findMessage: messenger.messages.get,
              actions,
            })
          }
        />
      ) : (
        <NoMessages
          isLoaded={isLoaded}
          hasFailed={hasFailed}
          isTyping={isTyping}
          peerName={peerName}
          canWrite={!obstacle}
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
      <WriteArea
        messenger={messenger}
        peerId={peerId}
        peerName={peerName}
        ownName={props.ownName}
        mode={mode}
        focusWish={focusWish}
        obstacle={obstacle}
        isAside={selection.isSelecting}
        drawTools={props.drawTools}
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
        peerName={peerName}
      />
      {dialog && (
        <ConversationDialog
          messenger={messenger}
          dialog={dialog}
          selection={selection}
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
