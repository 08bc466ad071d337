import { useEffect, useMemo, useRef } from 'react'
import { limits } from '../../schema/limits.ts'
import type { PublicUser } from '../../schema/user.ts'
import { foldText } from '../database/search/fold-text.ts'
import type { ConversationRow, Messenger } from '../sync/messenger-types.ts'
import { useArrowKeys } from '../ui/hooks/use-arrow-keys.ts'
import { useDebounced } from '../ui/hooks/use-debounced.ts'
import { useLiveValue } from '../ui/hooks/use-live-value.ts'
import styles from './chat-list-panel.module.css'
import { findPeople } from './find-people.ts'
import { FoundMessages } from './found-messages.tsx'
import { PersonLink } from './person-link.tsx'
import { useMessageSearch } from './use-message-search.ts'
import { usePeopleSearch } from './use-people-search.ts'

interface FoundPeopleProps {
  title: string
  people: readonly PublicUser[]
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
  const isLongEnough = words.length >= limits.userSearchMinLength
  const isSettled = isLongEnough && people.query === words && messages.query === words
  const hasNothing = chats.length + others.length + messages.messages.length === 0

  const choice = { messenger, linkState, onChoose }

  return (
    <div className={styles.scroller} ref={list}>
      <FoundPeople title="Chats" people={chats.flatMap((row) => row.peer ?? [])} {...choice} />
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
  return rows.filter(
    ({ peer, peerId }) =>
      peer && (findPeople([peer], query).length > 0 || labelsOf(peerId).some(hasLabel)),
  )
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
