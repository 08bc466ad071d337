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
import type { Sight } from '../database/create-reading.ts'
import type { ConversationView } from '../sync/messenger.ts'
import { Notice } from '../ui/notice.tsx'
import { useBackLayer } from '../ui/use-back-layer.ts'
import { useLivePart, useLiveValue } from '../ui/use-live-value.ts'
import { useNotice } from '../ui/use-notice.ts'
import { useToday } from '../ui/use-today.ts'
import { ArrivalAnnouncement } from './arrival-announcement.tsx'
import { buildMessageRows } from './build-message-rows.ts'
import { canReact } from './can-react.ts'
import type { ConversationProps } from './conversation.tsx'
import { ConversationDialog } from './conversation-dialog.tsx'
import { copyText } from './copy-text.ts'
import { focusMessage } from './focus-message.ts'
import { isEditable } from './is-editable.ts'
import { LazyChatSearchBar } from './lazy-parts.tsx'
import { MessageList, type MessageListHandle } from './message-list.tsx'
import { NoMessages } from './no-messages.tsx'
import type { OpenDialog } from './open-dialog.ts'
import { SelectionBar } from './selection-bar.tsx'
import { useFailure } from './use-failure.ts'
import { useKeptMode } from './use-kept-mode.ts'
import { useMessageHandlers } from './use-message-handlers.ts'
import { useReactionNews } from './use-reaction-news.ts'
import { useReading } from './use-reading.ts'
import { useSelection } from './use-selection.ts'
import { useShowMessage } from './use-show-message.ts'
import { useSteppedWindow } from './use-stepped-window.ts'
import { WriteArea } from './write-area.tsx'
import { newMode, type WriteMode } from './write-mode.ts'

interface OpenConversationProps extends ConversationProps {
  view: ConversationView
  list: RefObject<MessageListHandle | null>
  peerName: string
  /** 0 while nobody searches; grows with every wish to. */
  searchWish: number
  onSearchEnd(): void
  dialog: OpenDialog | undefined
  onDialog: Dispatch<SetStateAction<OpenDialog | undefined>>
}

const emptySight: Sight = { upTo: 0, holdsEnd: true }

/** The messages and the composer, with what belongs to both: reply, edit, selection, menus. */
export function OpenConversation(props: OpenConversationProps) {
  const { messenger, peerId, peerName, view, drawMessage, startMessageId, onStartShown } = props
  const { list, searchWish, dialog, onDialog } = props
  const window = useLiveValue(view.messages)
  const [mode, setMode] = useState<WriteMode>(newMode)
  useKeptMode({ messenger, peerId, mode, setMode })
  const [sight, setSight] = useState<Sight>()
  const [markQuery, setMarkQuery] = useState('')
  const [focusWish, setFocusWish] = useState(0)
  const { words: notice, say } = useNotice()
  const selection = useSelection(messenger)
  const today = useToday()
  const isTyping = useLivePart(messenger.presence, (presence) => presence.isTyping(peerId))
  const { isLoaded } = window
  const isEmpty = window.items.length === 0
  const failure = useFailure(window.items)
  const reaction = useReactionNews({ messenger, peerId, peerName })
  // Until it is loaded nothing is in sight: what comes in while it is read is not seen.
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

  const onForwarded = (peerIds: readonly string[]) => {
    selection.clear()
    if (peerIds.length > 1) say(`Forwarded to ${peerIds.length} chats`)
    else if (peerIds[0] === peerId) list.current?.showEnd()
    else if (peerIds[0]) props.onOpenChat(peerIds[0])
  }
  const copy = (text: string) => void copyText(text).then((isCopied) => isCopied && say('Copied'))
  const actions = useMessageHandlers({
    messenger,
    setMode,
    copy,
    say,
    toggleSelected: selection.toggle,
    forward: (messages) => onDialog({ kind: 'forward', messages }),
    showInformation: (message) => onDialog({ kind: 'information', message }),
    chooseReaction: (message, point) =>
      onDialog({ kind: 'react', message, point, isExpanded: false }),
    showMessage,
    async goToMessage(messageId) {
      if (await showMessage(messageId)) focusMessage(messageId)
      else say("This message isn't on this device")
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
    // Further up, the newest ones are not here.
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
            !selection.isSelecting && findShown(messageId)?.deletedAt === undefined
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
        <NoMessages isLoaded={isLoaded} isTyping={isTyping} peerName={peerName} />
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
        isAside={selection.isSelecting}
        drawTools={props.drawTools}
        onModeChange={setMode}
        onEditNewest={editNewest}
        onSent={() => {
          view.answer()
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
          // A choice in the menu may have opened something else by now.
          onClose={() => onDialog((now) => (now === dialog ? undefined : now))}
        />
      )}
    </>
  )
}
