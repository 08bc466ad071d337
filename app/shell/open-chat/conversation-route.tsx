import { lazy, type ReactNode, Suspense, useCallback, useEffect, useMemo, useState } from 'react'
import { useLocation, useNavigate } from 'react-router-dom'
import { kindOf } from '../../../schema/conversation.ts'
import { limits } from '../../../schema/limits.ts'
import { type LinkPreview, linkPreview } from '../../../schema/link-preview.ts'
import type { MessageDocument } from '../../../schema/message.ts'
import type {
  ComposerTools,
  DrawComposerTools,
} from '../../conversation/composer/composer-tools.ts'
import { Conversation } from '../../conversation/conversation.tsx'
import type { ConversationProps } from '../../conversation/conversation-props.ts'
import type { DrawMessage } from '../../conversation/message/draw-message.ts'
import type { DrawReactionBar } from '../../conversation/message/list-message-actions.ts'
import type { ListPlace } from '../../conversation/message-list/step-window.ts'
import { EmojiTool } from '../../emoji/emoji-tool.tsx'
import { ReactionBar } from '../../emoji/reaction-bar.tsx'
import { FileTool } from '../../media/file-tool.tsx'
import { MessageFile } from '../../media/files/message-file.tsx'
import { VoiceTool } from '../../media/voice/voice-tool.tsx'
import { Message } from '../../messages/message.tsx'
import { SetAsideNotice } from '../../messages/set-aside-notice.tsx'
import { isEncrypted } from '../../sync/people/encryption-states.ts'
import { useLivePart, useLiveValue } from '../../ui/hooks/use-live-value.ts'
import { useMediaQuery } from '../../ui/hooks/use-media-query.ts'
import { countBackLayers, leaveBackLayers } from '../../ui/layers/leave-back-layers.ts'
import type { MenuAction } from '../../ui/menus/menu-action.ts'
import {
  type ChannelWish,
  changeChannelSettings,
  listLabels,
  readChannel,
} from '../../whatsapp/channel.ts'
import { ChannelBar } from '../../whatsapp/channel-bar.tsx'
import { isWindowRefusal } from '../../whatsapp/describe-window.ts'
import { listChannelActions } from '../../whatsapp/list-channel-actions.ts'
import { drawMessageExtra } from '../../whatsapp/message-extra.tsx'
import { readChatPlace, readListPlace, readNavigationState } from '../navigation/read-chat-place.ts'
import { useChangeState } from '../navigation/use-change-state.ts'
import { useWayUp } from '../navigation/use-way-up.tsx'
import { ConnectionNotice } from '../notices/connection-notice.tsx'
import { UndoSnackbar } from '../notices/undo-snackbar.tsx'
import { useSharedFiles } from '../notices/use-shared-files.ts'
import { narrowScreen } from '../screen/narrow-screen.ts'
import { useKeyTask, useMessenger } from '../session/messenger-context.tsx'
import { type Services, useServices, useSession } from '../session/services-context.ts'
import { LoadingChat } from './loading-chat.tsx'
import { usePeer } from './use-peer.ts'

/** The longer side of a preview's picture, px: the first whose bytes are few enough. */
const sides = [192, 128, 80]

const ChannelDialogs = lazy(() =>
  import('../../whatsapp/channel-dialogs.tsx').then((module) => ({
    default: module.ChannelDialogs,
  })),
)

const JoinRequestsNotice = lazy(() =>
  import('../../people/group-invites.tsx').then((module) => ({
    default: module.JoinRequestsNotice,
  })),
)

const Gallery = lazy(() =>
  import('../../media/gallery.tsx').then((module) => ({ default: module.Gallery })),
)

const StickerTray = lazy(() =>
  import('../../media/sticker-tray.tsx').then((module) => ({
    default: module.StickerTray,
  })),
)

interface ConversationRouteProps {
  peerId: string
  /** Is the contact panel beside it? */
  hasInfo: boolean
  /** Begins a search, then calls `onSearchBegun`. */
  asksSearch: boolean
  onSearchBegun(): void
  /** Called once its messages are drawn, or there are none. */
  onDrawn(): void
}

const drawReactionBar: DrawReactionBar = (drawing) => <ReactionBar {...drawing} />

/** The right pane of the chat screen: joins the conversation and the message bubble. */
export function ConversationRoute(props: ConversationRouteProps) {
  const { peerId, hasInfo } = props
  const messenger = useMessenger()
  const { searchMessages, previewLink } = useServices()
  const readLink = useCallback((url: string) => readSmallLink(url, previewLink), [previewLink])
  const { pathname, state } = useLocation()
  const isNarrow = useMediaQuery(narrowScreen)
  const navigate = useNavigate()
  const changeState = useChangeState()
  const goUp = useWayUp()
  const peer = usePeer(messenger, peerId)
  // Replaces the history entry of the origin, which is no page to return to.
  const openChat = (id: string) => void navigate(`/chat/${id}`, { replace: countBackLayers() > 0 })
  const channel = useChannelChat(peerId, openChat)
  const { setWish } = channel
  const [picture, setPicture] = useState<MessageDocument>()
  const marksPlain = useLivePart(messenger.encryption.of(peerId), isEncrypted)
  const isDeviceLocked = useKeyTask() === 'unlock'
  const [forSticker, setForSticker] = useState<File>()
  const [wishOfViewer, setWishOfViewer] = useState<ConversationProps['wish']>()
  const drawMessage = useMemo(() => {
    const offerTemplate = (message: MessageDocument) => setWish({ kind: 'templates', message })
    const drawExtra = (message: MessageDocument, place: 'above' | 'below' | 'tile') => (
      <>
        {place !== 'tile' && drawMessageExtra(message, place)}
        {place !== 'below' && (
          <MessageFile
            messenger={messenger}
            message={message}
            isTile={place === 'tile'}
            onOpenPicture={setPicture}
          />
        )}
        {place === 'below' && <SetAsideNotice messenger={messenger} message={message} />}
      </>
    )
    const draw: DrawMessage = (drawing) => (
      <Message
        {...drawing}
        drawExtra={drawExtra}
        marksPlain={marksPlain}
        isDeviceLocked={isDeviceLocked}
        onTemplate={isWindowRefusal(drawing.message) ? offerTemplate : undefined}
      />
    )
    return draw
  }, [messenger, setWish, marksPlain, isDeviceLocked])
  const shared = useSharedFiles({
    userId: messenger.userId,
    id: readNavigationState(state, 'sharedId'),
  })
  // Until it is closed, a reload shows it again.
  const forgetShared = () => void navigate(pathname, { replace: true })
  const drawStickers = ({ sending }: ComposerTools) =>
    sending &&
    ((panel: { onEmoji(): void; onClose(): void }) => (
      <Suspense fallback={null}>
        <StickerTray
          messenger={messenger}
          peerId={peerId}
          sending={sending}
          onPicture={(file) => {
            panel.onClose()
            setForSticker(file)
          }}
          {...panel}
        />
      </Suspense>
    ))
  const drawTools: DrawComposerTools = (tools) => (
    <>
      <EmojiTool {...tools} drawStickers={drawStickers(tools)} />
      <FileTool
        messenger={messenger}
        peerId={peerId}
        field={tools.field}
        sending={tools.sending}
        moreActions={channel.actions}
        forSticker={forSticker && { file: forSticker, onClose: () => setForSticker(undefined) }}
        shared={shared && { ...shared, onClose: forgetShared }}
      />
      <VoiceTool
        messenger={messenger}
        peerId={peerId}
        isForCustomer={channel.isCustomer}
        tools={tools}
      />
    </>
  )
  // Once shown, forget it: neither a reload nor Back shows it again.
  const forgetStart = useCallback(() => {
    if (state) changeState({ messageId: undefined, listPlace: undefined })
  }, [changeState, state])
  // Stored with the chat's history entry for Back, and with the media page's entry for its back
  // button after a reload.
  const openPage = (page: 'media' | 'info' | 'encryption', listPlace: ListPlace | undefined) => {
    const kept = { ...readRecord(state), listPlace }
    void navigate(pathname, { replace: true, state: kept })
    void navigate(`/chat/${peerId}/${page}`, { state: kept })
  }
  const openPerson = (userId: string, listPlace: ListPlace | undefined) => {
    void navigate(pathname, { replace: true, state: { ...readRecord(state), listPlace } })
    void navigate(`/chat/${userId}/info`)
  }
  const openInfo = (listPlace: ListPlace | undefined) => {
    // On a wide screen the chat stays, and so does its place.
    if (hasInfo) goUp({ to: `/chat/${peerId}`, state })
    else openPage('info', isNarrow ? listPlace : undefined)
  }
  const showMessage = (messageId: string) => {
    setPicture(undefined)
    changeState({ messageId })
  }
  const ask = (kind: 'reply' | 'forward', message: MessageDocument) => {
    setPicture(undefined)
    setWishOfViewer({ kind, message })
  }
  const startMessageId = readNavigationState(state, 'messageId')
  if (peer.state !== 'known') return <LoadingChat peer={peer} />
  return (
    <>
      <Conversation
        key={peerId}
        messenger={messenger}
        peerId={peerId}
        startMessageId={startMessageId}
        startPlace={startMessageId === undefined ? readListPlace(state) : undefined}
        onStartShown={forgetStart}
        drawMessage={drawMessage}
        drawTools={drawTools}
        drawReactionBar={drawReactionBar}
        wish={wishOfViewer}
        onWishDone={() => setWishOfViewer(undefined)}
        askServer={searchMessages}
        readLink={readLink}
        notice={
          <>
            {isNarrow && <ConnectionNotice isInConversation />}
            {channel.bar}
            <JoinRequests
              peerId={peerId}
              onOpen={() => leaveBackLayers(() => hasInfo || openInfo(undefined))}
            />
          </>
        }
        undo={<UndoSnackbar chatId={peerId} />}
        onBack={isNarrow ? () => goUp({ ...findList(state), fits: isList }) : undefined}
        onOpenChat={openChat}
        onOpenPerson={(userId, listPlace) =>
          leaveBackLayers(() => openPerson(userId, isNarrow ? listPlace : undefined))
        }
        onOpenMedia={(listPlace) => leaveBackLayers(() => openPage('media', listPlace))}
        hasInfo={hasInfo}
        onOpenInfo={(listPlace) => leaveBackLayers(() => openInfo(listPlace))}
        onOpenEncryption={(listPlace) =>
          leaveBackLayers(() => openPage('encryption', isNarrow ? listPlace : undefined))
        }
        asksSearch={props.asksSearch}
        onSearchBegun={props.onSearchBegun}
        onDrawn={props.onDrawn}
      />
      {channel.dialog}
      {picture && (
        <Suspense fallback={null}>
          <Gallery
            messenger={messenger}
            peerId={peerId}
            message={picture}
            onGoToMessage={(messageId) => leaveBackLayers(() => showMessage(messageId))}
            onReply={(message) => leaveBackLayers(() => ask('reply', message))}
            onForward={(message) => leaveBackLayers(() => ask('forward', message))}
            onClose={() => setPicture(undefined)}
          />
        </Suspense>
      )}
    </>
  )
}

/** Says to the admins of a group that somebody asks to join. */
function JoinRequests({ peerId, onOpen }: { peerId: string; onOpen(): void }) {
  const messenger = useMessenger()
  const peer = useLiveValue(messenger.peers.get(peerId))
  if (!peer?.isGroup) return null
  return (
    <Suspense fallback={null}>
      <JoinRequestsNotice messenger={messenger} group={peer} onOpen={onOpen} />
    </Suspense>
  )
}

function readRecord(state: unknown): object {
  return typeof state === 'object' && state ? state : {}
}

/** The list from which the chat was opened. */
function findList(state: unknown): { to: string; state?: unknown } {
  const view = readNavigationState(state, 'listView')
  if (view) return { to: `/chat/${view}` }
  if (!readNavigationState(state, 'searchKey')) return { to: '/chat' }
  return { to: '/chat/search', state: { query: readNavigationState(state, 'query') } }
}

function isList(path: string): boolean {
  const place = readChatPlace(path)
  return place !== undefined && place.peerId === undefined
}

interface ChannelChat {
  /** Does the other person use the business channel? */
  isCustomer: boolean
  /** Actions for the attach menu. */
  actions: readonly MenuAction[]
  /** Shown under the header of a chat with a customer. */
  bar: ReactNode
  dialog: ReactNode
  setWish(wish: ChannelWish): void
}

/** The business channel's additions to a chat. */
function useChannelChat(peerId: string, onOpenChat: (peerId: string) => void): ChannelChat {
  const messenger = useMessenger()
  const { own: ownCalls, whatsApp } = useServices()
  const user = useSession()?.user
  const known = useLiveValue(messenger.peers.get(peerId))
  const peer = known?.isGroup ? undefined : known
  const [wish, setWish] = useState<ChannelWish>()
  const channel = readChannel(user)
  const isCustomer = kindOf(known) === 'business'
  useEffect(() => {
    // The sandbox setting may have changed since sign-in; the device's record stays until the
    // server answers.
    if (isCustomer) ownCalls.me().catch(() => {})
  }, [isCustomer, ownCalls])
  const own = useLiveValue(messenger.settings.values).whatsApp
  return {
    isCustomer,
    // A group is nobody's number.
    actions: known?.isGroup ? [] : listChannelActions({ channel, peer, onWish: setWish }),
    bar: isCustomer && (
      <ChannelBar
        messenger={messenger}
        peerId={peerId}
        channel={channel}
        labels={listLabels(own, peerId)}
        onWish={setWish}
      />
    ),
    dialog: wish && (
      <Suspense fallback={null}>
        <ChannelDialogs
          messenger={messenger}
          channel={channel}
          peerId={peerId}
          peer={peer}
          wish={wish}
          settings={own}
          listTemplates={whatsApp.listTemplates}
          addContact={whatsApp.addContact}
          onSettings={(change) => changeChannelSettings(messenger.settings, change)}
          onWish={setWish}
          onOpenChat={onOpenChat}
        />
      </Suspense>
    ),
    setWish,
  }
}

/** What the page behind an address says of itself, its picture made small here; undefined for nothing. */
async function readSmallLink(
  url: string,
  previewLink: Services['previewLink'],
): Promise<LinkPreview | undefined> {
  if (url.length > limits.linkPreview.urlMaxLength) return undefined
  const page = await previewLink(url)
  if (!page) return undefined
  const picture = page.picture && (await shrink(page.picture).catch(() => undefined))
  return linkPreview.parse({ ...page, url, picture })
}

/** Undefined for what this browser can't draw, or can't draw in so few bytes. */
async function shrink(dataUrl: string): Promise<string | undefined> {
  const source = new Image()
  source.src = dataUrl
  await source.decode()
  const { naturalWidth: width, naturalHeight: height } = source
  if (width === 0 || height === 0) return undefined
  for (const side of sides) {
    const scale = Math.min(1, side / Math.max(width, height))
    const canvas = document.createElement('canvas')
    canvas.width = Math.max(1, Math.round(width * scale))
    canvas.height = Math.max(1, Math.round(height * scale))
    canvas.getContext('2d')?.drawImage(source, 0, 0, canvas.width, canvas.height)
    for (const type of ['image/webp', 'image/jpeg']) {
      const drawn = canvas.toDataURL(type, 0.7)
      // A browser that cannot write a type writes PNG instead.
      const isRight = drawn.startsWith(`data:${type}`)
      if (isRight && drawn.length <= limits.linkPreview.pictureMaxLength) return drawn
    }
  }
  return undefined
}
