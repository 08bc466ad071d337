import { Link } from 'react-router-dom'
import type { MessageDocument } from '../../schema/message.ts'
import { highlight } from '../database/search/highlight.ts'
import type { Messenger } from '../sync/messenger-types.ts'
import { Button } from '../ui/buttons/button.tsx'
import { formatRowTime } from '../ui/format/format-day.ts'
import { useLiveValue } from '../ui/hooks/use-live-value.ts'
import { useToday } from '../ui/hooks/use-today.ts'
import { Avatar } from '../ui/people/avatar.tsx'
import { MarkedText } from '../ui/text/marked-text.tsx'
import { stripStyles } from '../ui/text/strip-styles.ts'
import styles from './chat-list-panel.module.css'
import row from './conversation-row.module.css'
import { cutSnippet } from './cut-snippet.ts'

interface FoundMessagesProps {
  messages: readonly MessageDocument[]
  query: string
  messenger: Messenger
  linkState: object | undefined
  /** Set if there are more. */
  onMore: (() => void) | undefined
}

/** The messages found, newest first; each links to its place, and the results stay. */
export function FoundMessages({ messages, onMore, ...rest }: FoundMessagesProps) {
  const today = useToday()
  if (messages.length === 0) return null
  return (
    <section aria-label="Messages">
      <h2 className={styles.section}>Messages</h2>
      <ul>
        {messages.map((message) => (
          <li key={message._id}>
            <FoundMessage message={message} today={today} {...rest} />
          </li>
        ))}
      </ul>
      {onMore && (
        <p className={styles.more}>
          <Button look="quiet" onClick={onMore}>
            Show more
          </Button>
        </p>
      )}
    </section>
  )
}

interface FoundMessageProps {
  message: MessageDocument
  query: string
  messenger: Messenger
  linkState: object | undefined
  today: number
}

function FoundMessage({ message, query, messenger, linkState, today }: FoundMessageProps) {
  const peer = useLiveValue(messenger.users.get(message.peerId))
  const name = peer?.username ?? 'Unknown'
  const isOwn = message.senderId === messenger.userId
  const words = stripStyles(message.content)
  const { text, marks } = cutSnippet(words, highlight(words, query))
  return (
    <Link
      className={row.link}
      to={`/chat/${message.peerId}`}
      state={{ ...linkState, messageId: message._id, query }}
    >
      <Avatar name={name} picture={peer?.profilePicture ?? undefined} />
      <span className={row.body}>
        <span className={row.line}>
          <span className={row.name}>{isOwn ? `You to ${name}` : name}</span>
          <time className={row.time}>{formatRowTime(message.createdAt, today)}</time>
        </span>
        <span className={row.preview}>
          <span className={row.words}>
            <MarkedText text={text} marks={marks} />
          </span>
        </span>
      </span>
    </Link>
  )
}
