import { lazy, Suspense, useCallback, useMemo, useState } from 'react'
import { useLocation, useNavigate } from 'react-router-dom'
import type { MessageDocument } from '../../../schema/message.ts'
import type { DrawComposerTools } from '../../conversation/composer/composer-tools.ts'
import { Conversation } from '../../conversation/conversation.tsx'
import type { DrawMessage } from '../../conversation/message/draw-message.ts'
import type { DrawReactionBar } from '../../conversation/message/draw-reaction-bar.ts'
import type { ListPlace } from '../../conversation/message-list/list-place.ts'
import { EmojiTool } from '../../emoji/emoji-tool.tsx'
import { ReactionBar } from '../../emoji/reaction-bar.tsx'
import { MessageFile } from '../../media/files/message-file.tsx'
import { FileTool } from '../../media/send-dialog/file-tool.tsx'
import { VoiceTool } from '../../media/voice/voice-tool.tsx'
import { Message } from '../../messages/message.tsx'
import { useMediaQuery } from '../../ui/hooks/use-media-query.ts'
import { countBackLayers } from '../../ui/layers/count-back-layers.ts'
import { leaveBackLayers } from '../../ui/layers/leave-back-layers.ts'
import { isWindowRefusal } from '../../whatsapp/channel/is-window-refusal.ts'
import { drawMessageExtra } from '../../whatsapp/message-parts/message-extra.tsx'
import { readChatPlace } from '../navigation/read-chat-place.ts'
import { readListPlace } from '../navigation/read-list-place.ts'
import { readNavigationState } from '../navigation/read-navigation-state.ts'
import { useWayUp } from '../navigation/use-way-up.tsx'
import { ConnectionNotice } from '../notices/connection-notice.tsx'
import { narrowScreen } from '../screen/narrow-screen.ts'
import { useMessenger } from '../session/messenger-context.tsx'
import { useServices } from '../session/services-context.ts'
import { useSession } from '../session/use-session.ts'
import { useSharedFiles } from '../sharing/use-shared-files.ts'
import { LoadingChat } from './loading-chat.tsx'
import { useChannelChat } from './use-channel-chat.tsx'
import { usePeer } from './use-peer.ts'

const Gallery = lazy(() =>
  import('../../media/viewer/gallery.tsx').then((module) => ({ default: module.Gallery })),
)

interface ConversationRouteProps {
  peerId: string
  /** Is the contact panel beside it? */
  hasInfo: boolean
  /** Begins a search, then calls `onSearchBegun`. */
  asksSearch: boolean
  onSearchBegun(): void
}

const drawReactionBar: DrawReactionBar = (drawing) => <ReactionBar {...drawing} />

/** The right pane of the chat screen: joins the conversation and the message bubble. */
export function ConversationRoute(props: ConversationRouteProps) {
  const { peerId, hasInfo } = props
  const messenger = useMessenger()
  const { searchMessages } = useServices()
  const { pathname, state } = useLocation()
  const isNarrow = useMediaQuery(narrowScreen)
  const navigate = useNavigate()
  const goUp = useWayUp()
  const ownName = useSession()?.user.username ?? ''
  const peer = usePeer(messenger, peerId)
  // Replaces the history entry of the origin, which is no page to return to.
  const openChat = (id: string) => void navigate(`/chat/${id}`, { replace: countBackLayers() > 0 })
  const channel = useChannelChat(peerId, openChat)
  const { setWish } = channel
  const [picture, setPicture] = useState<MessageDocument>()
  const drawMessage = useMemo(() => {
    const offerTemplate = (message: MessageDocument) => setWish({ kind: 'templates', message })
    const drawExtra = (message: MessageDocument, place: 'above' | 'below') => (
      <>
        {drawMessageExtra(message, place)}
        {place === 'above' && (
          <MessageFile messenger={messenger} message={message} onOpenPicture={setPicture} />
        )}
      </>
    )
    const draw: DrawMessage = (drawing) => (
      <Message
        {...drawing}
        drawExtra={drawExtra}
        onTemplate={isWindowRefusal(drawing.message) ? offerTemplate : undefined}
      />
    )
    return draw
  }, [messenger, setWish])
  const shared = useSharedFiles({
    userId: messenger.userId,
    id: readNavigationState(state, 'sharedId'),
  })
  // Until it is closed, a reload shows it again.
  const forgetShared = () => void navigate(pathname, { replace: true })
  const drawTools: DrawComposerTools = (tools) => (
    <>
      <EmojiTool {...tools} />
      <FileTool
        messenger={messenger}
        peerId={peerId}
        field={tools.field}
        sending={tools.sending}
        moreActions={channel.actions}
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
    const rest = { ...readRecord(state), messageId: undefined, listPlace: undefined }
    void navigate(pathname, { replace: true, state: rest })
  }, [navigate, pathname, state])
  // Stored with the chat's history entry for Back, and with the media page's entry for its back
  // button after a reload.
  const openPage = (page: 'media' | 'info', listPlace: ListPlace | undefined) => {
    const kept = { ...readRecord(state), listPlace }
    void navigate(pathname, { replace: true, state: kept })
    void navigate(`/chat/${peerId}/${page}`, { state: kept })
  }
  const openInfo = (listPlace: ListPlace | undefined) => {
    // On a wide screen the chat stays, and so does its place.
    if (hasInfo) goUp({ to: `/chat/${peerId}`, state })
    else openPage('info', isNarrow ? listPlace : undefined)
  }
  const showMessage = (messageId: string) => {
    setPicture(undefined)
    void navigate(pathname, { replace: true, state: { ...readRecord(state), messageId } })
  }
  const startMessageId = readNavigationState(state, 'messageId')
  if (peer.state !== 'known') return <LoadingChat peer={peer} />
  return (
    <>
      <Conversation
        key={peerId}
        messenger={messenger}
        peerId={peerId}
        ownName={ownName}
        startMessageId={startMessageId}
        startPlace={startMessageId === undefined ? readListPlace(state) : undefined}
        onStartShown={forgetStart}
        drawMessage={drawMessage}
        drawTools={drawTools}
        drawReactionBar={drawReactionBar}
        askServer={searchMessages}
        notice={
          <>
            {isNarrow && <ConnectionNotice isInConversation />}
            {channel.bar}
          </>
        }
        onBack={isNarrow ? () => goUp({ ...findList(state), fits: isList }) : undefined}
        onOpenChat={openChat}
        onOpenMedia={(listPlace) => leaveBackLayers(() => openPage('media', listPlace))}
        hasInfo={hasInfo}
        onOpenInfo={(listPlace) => leaveBackLayers(() => openInfo(listPlace))}
        asksSearch={props.asksSearch}
        onSearchBegun={props.onSearchBegun}
      />
      {channel.dialog}
      {picture && (
        <Suspense fallback={null}>
          <Gallery
            messenger={messenger}
            peerId={peerId}
            message={picture}
            onGoToMessage={(messageId) => leaveBackLayers(() => showMessage(messageId))}
            onClose={() => setPicture(undefined)}
          />
        </Suspense>
      )}
    </>
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
