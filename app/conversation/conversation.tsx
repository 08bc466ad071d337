import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { PublicUser } from '../../schema/user.ts'
import type { Messenger } from '../sync/messenger-types.ts'
import { useLatest } from '../ui/hooks/use-latest.ts'
import { useLiveValue } from '../ui/hooks/use-live-value.ts'
import { leaveBackLayers } from '../ui/layers/leave-back-layers.ts'
import type { AskServer } from './chat-search/use-chat-search.ts'
import { useSearchKeys } from './chat-search/use-search-keys.ts'
import type { DrawComposerTools } from './composer/composer-tools.ts'
import type { OpenDialog } from './dialogs/open-dialog.ts'
import { ConversationHeader } from './header/conversation-header.tsx'
import type { DrawMessage } from './message/draw-message.ts'
import type { DrawReactionBar } from './message/draw-reaction-bar.ts'
import type { ListPlace } from './message-list/list-place.ts'
import type { MessageListHandle } from './message-list/message-list.tsx'
import { OpenConversation } from './open-conversation.tsx'
import styles from './styles/conversation.module.css'
import { useConversationView } from './use-conversation-view.ts'

export interface ConversationProps {
  messenger: Messenger
  peerId: string
  ownName: string
  /** A message to show at the start, such as a starred one. */
  startMessageId?: string | undefined
  /** Where the messages stood when this conversation was left, to begin there. */
  startPlace?: ListPlace | undefined
  /** Called when either has been asked for: the wish is over, and the same one can be made again. */
  onStartShown(): void
  drawMessage: DrawMessage
  /** What stands before the field of the composer. */
  drawTools?: DrawComposerTools
  drawReactionBar: DrawReactionBar
  /** The server's search, joined with the device's own. */
  askServer: AskServer
  /** Stands under the header, such as the state of the connection. */
  notice?: ReactNode
  onBack: (() => void) | undefined
  /** Goes to the conversation with somebody else. */
  onOpenChat(peerId: string): void
  /** Shows what the conversation holds beside its words. @param place to come back to; undefined for the end */
  onOpenMedia(place: ListPlace | undefined): void
}

/** The screen of one conversation. */
export function Conversation(props: ConversationProps) {
  const { messenger, peerId, onBack, onOpenMedia } = props
  const peer = useLiveValue(messenger.users.get(peerId))
  // What is wished later is of the next opening.
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
  return (
    <section className={styles.conversation} aria-label={`Chat with ${nameOf(peer)}`}>
      <ConversationHeader
        messenger={messenger}
        peerId={peerId}
        peer={peer}
        onBack={onBack && (() => leaveBackLayers(onBack))}
        onSearch={search}
        onOpenMedia={() => onOpenMedia(list.current?.readPlace())}
        onGoToDate={() => setDialog({ kind: 'date' })}
      />
      {props.notice}
      {view && (
        <OpenConversation
          {...props}
          startPlace={startPlace}
          view={view}
          list={list}
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

function nameOf(peer: PublicUser | undefined): string {
  return peer?.username ?? 'Unknown'
}
