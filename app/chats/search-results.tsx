import { useEffect, useMemo, useRef, useState } from 'react'
import { Link } from 'react-router-dom'
import { limits } from '../../schema/limits.ts'
import type { MessageDocument } from '../../schema/message.ts'
import type { PublicUser } from '../../schema/user.ts'
import { foldText } from '../database/search/fold-text.ts'
import { highlight } from '../database/search/highlight.ts'
import { isSearchable } from '../database/search/search-query.ts'
import { type KnownGroup, nameOf, pictureOf } from '../database/storage/known-peer.ts'
import type { ConversationRow, MessageSearch, Messenger } from '../sync/messenger-types.ts'
import { Button } from '../ui/buttons/button.tsx'
import { formatRowTime } from '../ui/format/format-times.ts'
import { useArrowKeys } from '../ui/hooks/use-arrow-keys.ts'
import { useDebounced } from '../ui/hooks/use-debounced.ts'
import { useLivePart, useLiveValue } from '../ui/hooks/use-live-value.ts'
import { useToday } from '../ui/hooks/use-today.ts'
import { Avatar } from '../ui/people/avatar.tsx'
import { stripStyles } from '../ui/text/describe-message.ts'
import { MarkedText, type TextMark } from '../ui/text/marked-text.tsx'
import styles from './chat-list-panel.module.css'
import row from './conversation-row.module.css'
import { AuthorName, findNamedAuthor } from './conversation-row.tsx'
import { PersonLink } from './person-link.tsx'
import { findPeople, usePeopleSearch } from './use-people-search.ts'

const wordsBefore = 4

const snippetMaxLength = 160

const nothing: MessagesFound = { messages: [], query: '', hasMore: false, isComplete: true }

const pageSize = 30

interface FoundPeopleProps {
  title: string
  people: readonly (PublicUser | KnownGroup)[]
  messenger: Messenger
  linkState: object | undefined
  onChoose(): void
}

export interface SearchResultsProps {
  query: string
  messenger: Messenger
  /** Navigation state for the results' links. */
  linkState: object | undefined
  /** The person's labels for a customer; the same function until the labels change. */
  labelsOf(peerId: string): readonly string[]
  /** Called when a person is chosen. */
  onChoose(): void
}

const localWords = "The server can't be reached, so only this device was searched."

/**
 * Shows conversations by name immediately, then people from device and server, and this device's
 * messages.
 */
export function SearchResults(props: SearchResultsProps) {
  const { query, messenger, linkState, labelsOf, onChoose } = props
  const rows = useLiveValue(messenger.conversations)
  const words = query.trim()
  const asked = useDebounced(words, limits.userSearchDebounceMs)
  const people = usePeopleSearch(messenger.users, asked)
  const messages = useMessageSearch(messenger.search, asked)
  const list = useRef<HTMLDivElement>(null)
  useArrowKeys(list, 'a')
  const found = useMemo(() => findRows(rows, words, labelsOf), [rows, words, labelsOf])
  const { chats, others } = useSteadyPlaces({ words, chats: found, people: people.people })
  const isLongEnough = isSearchable(words)
  // The server takes no shorter query.
  const isAnswered = people.query === words || words.length < limits.userSearchMinLength
  const isSettled = isLongEnough && isAnswered && messages.query === words
  const hasNothing = chats.length + others.length + messages.messages.length === 0

  const choice = { messenger, linkState, onChoose }

  return (
    <div className={styles.scroller} ref={list}>
      <FoundPeople
        title="Chats"
        people={chats.flatMap(({ peer }) => (peer ? [peer] : []))}
        {...choice}
      />
      <FoundPeople title="People" people={others} {...choice} />
      <FoundMessages
        messages={messages.messages}
        query={messages.query}
        messenger={messenger}
        linkState={linkState}
        onMore={messages.hasMore ? messages.showMore : undefined}
      />
      <p className={styles.empty} role="status">
        {hasNothing && isSettled && messages.isComplete && 'No results found'}
        {hasNothing && isLongEnough && !isSettled && 'Searching...'}
        {hasNothing && !isLongEnough && `Type at least ${limits.userSearchMinLength} characters`}
        {isSettled && !messages.isComplete && 'Still loading older messages…'}
        {messages.error}
      </p>
      <p className={styles.local} role="status">
        {isSettled && people.isLocal && localWords}
      </p>
    </div>
  )
}

/**
 * Whoever is listed under People stays there until the query changes, although a first message makes a chat meanwhile:
 * a link that moved between press and release would lose the click.
 */
function useSteadyPlaces(found: {
  words: string
  chats: readonly ConversationRow[]
  people: readonly PublicUser[]
}): { chats: ConversationRow[]; others: PublicUser[] } {
  const listed = useRef({ words: '', people: new Set<string>() })
  const stays = listed.current.words === found.words ? listed.current.people : new Set<string>()
  const chats = found.chats.filter(({ peerId }) => !stays.has(peerId))
  const inChats = new Set(chats.map(({ peerId }) => peerId))
  const others = found.people.filter(({ _id }) => !inChats.has(_id))
  useEffect(() => {
    listed.current = { words: found.words, people: new Set(others.map(({ _id }) => _id)) }
  })
  return { chats, others }
}

function findRows(
  rows: readonly ConversationRow[],
  query: string,
  labelsOf: SearchResultsProps['labelsOf'],
): ConversationRow[] {
  const wanted = foldText(query)
  const hasLabel = (label: string) => foldText(label).includes(wanted)
  return rows.filter(({ peer, peerId }) => {
    if (!peer) return false
    if (peer.isGroup) return foldText(nameOf(peer)).includes(wanted)
    return findPeople([peer], query).length > 0 || labelsOf(peerId).some(hasLabel)
  })
}

/** The people found; renders nothing for an empty list. */
function FoundPeople({ title, people, ...choice }: FoundPeopleProps) {
  if (people.length === 0) return null
  return (
    <section aria-label={title}>
      <h2 className={styles.section}>{title}</h2>
      <ul>
        {people.map((person) => (
          <li key={person._id}>
            <PersonLink person={person} {...choice} />
          </li>
        ))}
      </ul>
    </section>
  )
}

interface MessagesFound {
  messages: readonly MessageDocument[]
  /** The query of these messages. */
  query: string
  hasMore: boolean
  /** False while the index still lacks messages of this device. */
  isComplete: boolean
  error?: string
}

/**
 * This device's messages for a query that is long enough; searches again as the index grows and takes in what is new.
 */
function useMessageSearch(search: MessageSearch, query: string) {
  const [found, setFound] = useState(nothing)
  const [wanted, setWanted] = useState({ query, count: pageSize })
  const count = wanted.query === query ? wanted.count : pageSize
  // Rounded to tenths, so that a growing index does not rerender the list constantly.
  const grown = useLivePart(search.progress, (progress) =>
    progress.state === 'building'
      ? `building ${Math.floor(progress.share * 10)}`
      : progress.state === 'ready'
        ? `ready ${progress.generation}`
        : progress.state,
  )
  const asked = useMemo(() => ({ query, count, grown }), [query, count, grown])
  useEffect(() => {
    const { query, count } = asked
    if (!isSearchable(query)) return setFound(nothing)
    const watch = { isOver: false }
    search.find({ text: query, limit: count }).then(
      ({ messages, next, isComplete }) => {
        if (!watch.isOver) setFound({ messages, query, hasMore: next !== undefined, isComplete })
      },
      () => {
        const error = 'The messages on this device could not be searched. Please try again.'
        if (!watch.isOver) setFound({ ...nothing, query, error })
      },
    )
    return () => {
      watch.isOver = true
    }
  }, [search, asked])
  return { ...found, showMore: () => setWanted({ query, count: count + pageSize }) }
}

interface FoundMessagesProps {
  messages: readonly MessageDocument[]
  query: string
  messenger: Messenger
  linkState: object | undefined
  /** Set if there are more. */
  onMore: (() => void) | undefined
}

/** The messages found, newest first; each links to its place, and the results stay. */
function FoundMessages({ messages, onMore, ...rest }: FoundMessagesProps) {
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
  const peer = useLiveValue(messenger.peers.get(message.peerId))
  const name = nameOf(peer)
  const isOwn = message.senderId === messenger.userId
  const authorId = findNamedAuthor(
    { ...(peer && { peer }), lastMessage: message },
    messenger.userId,
  )
  const words = stripStyles(message.content)
  const { text, marks } = cutSnippet(words, highlight(words, query))
  return (
    <Link
      className={row.link}
      to={`/chat/${message.peerId}`}
      state={{ ...linkState, messageId: message._id, query }}
    >
      <Avatar name={name} picture={pictureOf(peer)} isGroup={peer?.isGroup} />
      <span className={row.body}>
        <span className={row.line}>
          <span className={row.name}>{isOwn ? `You to ${name}` : name}</span>
          <time className={row.time}>{formatRowTime(message.createdAt, today)}</time>
        </span>
        <span className={row.preview}>
          {authorId !== undefined && <AuthorName messenger={messenger} authorId={authorId} />}
          <span className={row.words}>
            <MarkedText text={text} marks={marks} />
          </span>
        </span>
      </span>
    </Link>
  )
}

interface Snippet {
  text: string
  marks: TextMark[]
}

/** The part of a text around the first mark, on one line; starts with '…' if cut. */
export function cutSnippet(text: string, marks: readonly TextMark[]): Snippet {
  const line = text.replace(/\s/g, ' ')
  const first = marks[0]
  const start = first ? findStart(line, first.start) : 0
  const lead = start > 0 ? '…' : ''
  const end = start + snippetMaxLength
  const shift = lead.length - start
  return {
    text: lead + line.slice(start, end),
    marks: marks
      .filter((mark) => mark.end <= end)
      .map((mark) => ({ start: mark.start + shift, end: mark.end + shift })),
  }
}

function findStart(line: string, markStart: number): number {
  let start = markStart
  for (let words = 0; words < wordsBefore && start > 0; words++) {
    start = line.lastIndexOf(' ', start - 2) + 1
  }
  return markStart - start > 40 ? markStart : start
}
