import { useMemo, useRef } from 'react'
import { Link } from 'react-router-dom'
import { Virtualizer } from 'virtua'
import { isSticker, type MessageDocument } from '../../schema/message.ts'
import { nameOf, pictureOf } from '../database/storage/known-peer.ts'
import type { Messenger } from '../sync/messenger-types.ts'
import { formatRowTime } from '../ui/format/format-times.ts'
import { useArrowKeys } from '../ui/hooks/use-arrow-keys.ts'
import { useLiveValue } from '../ui/hooks/use-live-value.ts'
import { useToday } from '../ui/hooks/use-today.ts'
import { Avatar } from '../ui/people/avatar.tsx'
import { describeMessage } from '../ui/text/describe-message.ts'
import styles from './chat-list-panel.module.css'
import row from './conversation-row.module.css'
import { AuthorName, findNamedAuthor } from './conversation-row.tsx'

/** The starred messages of all conversations; each links to its place. */
export function StarredList({ messenger }: { messenger: Messenger }) {
  const starred = useLiveValue(messenger.starred)
  // Those are in the tray of one's own stickers.
  const messages = useMemo(() => starred?.filter((message) => !isSticker(message)), [starred])
  const today = useToday()
  const scroller = useRef<HTMLDivElement>(null)
  useArrowKeys(scroller, 'a')
  return (
    <div className={styles.scroller} ref={scroller}>
      {messages?.length === 0 && <p className={styles.empty}>No starred messages</p>}
      {messages && messages.length > 0 && (
        <Virtualizer as="ul" item="li" data={messages} itemSize={72}>
          {(message) => (
            <StarredItem key={message._id} message={message} messenger={messenger} today={today} />
          )}
        </Virtualizer>
      )}
    </div>
  )
}

interface StarredItemProps {
  message: MessageDocument
  messenger: Messenger
  today: number
}

function StarredItem({ message, messenger, today }: StarredItemProps) {
  const peer = useLiveValue(messenger.peers.get(message.peerId))
  const name = nameOf(peer)
  const isOwn = message.senderId === messenger.userId
  const authorId = findNamedAuthor(
    { ...(peer && { peer }), lastMessage: message },
    messenger.userId,
  )
  return (
    <Link
      className={row.link}
      to={`/chat/${message.peerId}`}
      state={{ listView: 'starred', messageId: message._id }}
    >
      <Avatar name={name} picture={pictureOf(peer)} isGroup={peer?.isGroup} />
      <span className={row.body}>
        <span className={row.line}>
          <span className={row.name}>{isOwn ? `You to ${name}` : name}</span>
          <time className={row.time}>{formatRowTime(message.createdAt, today)}</time>
        </span>
        <span className={row.preview}>
          {authorId !== undefined && <AuthorName messenger={messenger} authorId={authorId} />}
          <span className={row.words}>{describeMessage(message)}</span>
        </span>
      </span>
    </Link>
  )
}
