import type { GroupHidden, GroupStars } from '../../../schema/conversation.ts'
import { changeDocuments } from '../../database/storage/change-document.ts'
import { ownerOf, subscribeToChanges } from '../../database/storage/collections.ts'
import type { PetrelDatabase } from '../../database/storage/open-database.ts'
import type { StoredConversation } from '../../database/storage/stored-conversation.ts'
import {
  fromStoredMessage,
  type StoredMessage,
  toStoredMessage,
} from '../../database/storage/stored-message.ts'
import { readConversations } from '../../database/views/read-conversations.ts'

/** Messages that are read and written together. */
const atOnce = 200

/**
 * Puts this person's stars in groups and what they hid there, which come with their conversations,
 * onto the messages, which come from the groups: whichever is here first.
 */
export function followGroupFlags(options: {
  database: Pick<PetrelDatabase, 'messages' | 'conversations'>
  onError: (cause: unknown) => void
}): { close(): void } {
  const { database, onError } = options
  const { messages, conversations } = database
  const known = new Map<string, { stars: GroupStars; hidden: GroupHidden }>()
  const state = { isClosed: false }

  /** Also an earlier time than the message has: the server lets none lie ahead of its own. */
  function put(message: StoredMessage): StoredMessage {
    const { _id, peerId, deletedAt } = message
    const flags = known.get(peerId)
    const star = deletedAt === undefined ? flags?.stars[_id] : undefined
    const hiding = flags?.hidden[_id]
    const isStarHere =
      !star || (message.isStarred === star.isStarred && message.isStarredAt === star.at)
    const isHidingHere =
      !hiding || (message.isHidden === hiding.isHidden && message.isHiddenAt === hiding.at)
    if (isStarHere && isHidingHere) return message
    return toStoredMessage(
      {
        ...fromStoredMessage(message),
        ...(star && { isStarred: star.isStarred, isStarredAt: star.at }),
        ...(hiding && { isHidden: hiding.isHidden, isHiddenAt: hiding.at }),
      },
      ownerOf(messages),
    )
  }

  async function putAll(ids: readonly string[]) {
    for (let at = 0; at < ids.length && !state.isClosed; at += atOnce) {
      await changeDocuments(messages, ids.slice(at, at + atOnce), put)
    }
  }

  function take(documents: readonly StoredConversation[]) {
    const ids = documents.flatMap(({ _id, stars = {}, hidden = {} }) => {
      const before = known.get(_id)
      known.set(_id, { stars, hidden })
      return [
        ...Object.keys(stars).filter((id) => !isAlike(before?.stars[id], stars[id])),
        ...Object.keys(hidden).filter((id) => !isAlike(before?.hidden[id], hidden[id])),
      ]
    })
    if (ids.length > 0) putAll([...new Set(ids)]).catch(onError)
  }

  const hasFlags = ({ stars, hidden }: StoredConversation) => Boolean(stars ?? hidden)
  const stops = [
    subscribeToChanges(conversations, ({ documents }) => take(documents.filter(hasFlags))),
    subscribeToChanges(messages, ({ documents }) => {
      const late = documents.filter((message) => put(message) !== message)
      if (late.length > 0) putAll(late.map(({ _id }) => _id)).catch(onError)
    }),
  ]
  readConversations(conversations)
    .then((stored) => take([...stored.values()].filter(hasFlags)))
    .catch(onError)
  return {
    close() {
      state.isClosed = true
      for (const stop of stops) stop()
    },
  }
}

type Flag = GroupStars[string] | GroupHidden[string] | undefined

const isAlike = (a: Flag, b: Flag) => JSON.stringify(a) === JSON.stringify(b)
