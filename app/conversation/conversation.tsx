import { useEffect, useRef, useState } from 'react'
import type { PublicUser } from '../../schema/user.ts'
import type { ConversationView, Messenger } from '../sync/messenger-types.ts'
import { useLatest } from '../ui/hooks/use-latest.ts'
import { useLiveValue } from '../ui/hooks/use-live-value.ts'
import { leaveBackLayers } from '../ui/layers/leave-back-layers.ts'
import { useSearchKeys } from './chat-search/use-search-keys.ts'
import type { ConversationProps } from './conversation-props.ts'
import type { OpenDialog } from './dialogs/open-dialog.ts'
import { ConversationHeader } from './header/conversation-header.tsx'
import type { MessageListHandle } from './message-list/message-list.tsx'
import { OpenConversation } from './open-conversation.tsx'
import styles from './styles/conversation.module.css'

/** The screen of one conversation. */
export function Conversation(props: ConversationProps) {
  const { messenger, peerId, onBack, onOpenMedia } = props
  const peer = useLiveValue(messenger.users.get(peerId))
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

/** The open conversation with this person; closed on unmount. Undefined at first. */
function useConversationView(
  messenger: Messenger,
  peerId: string,
  /** A message to start at instead of the first unread one. */
  startsAtId: string | undefined,
): ConversationView | undefined {
  const [view, setView] = useState<ConversationView>()
  useEffect(() => {
    const opened = messenger.openConversation(peerId, { startsAtUnread: true, startsAtId })
    setView(opened)
    return () => {
      setView(undefined)
      opened.close()
    }
  }, [messenger, peerId, startsAtId])
  return view
}
