import type { GroupStars } from '../../../schema/conversation.ts'
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
 * Puts this person's stars in groups, which come with their conversations, onto the messages, which
 * come from the groups: whichever is here first.
 */
export function followGroupStars(options: {
  database: Pick<PetrelDatabase, 'messages' | 'conversations'>
  onError: (cause: unknown) => void
}): { close(): void } {
  const { database, onError } = options
  const { messages, conversations } = database
  const known = new Map<string, GroupStars>()
  const state = { isClosed: false }

  function star(message: StoredMessage): StoredMessage {
    const star = known.get(message.peerId)?.[message._id]
    if (!star || message.deletedAt !== undefined) return message
    // Also an earlier time: the server lets none lie ahead of its own.
    const { isStarred, at: isStarredAt } = star
    if (message.isStarred === isStarred && message.isStarredAt === isStarredAt) return message
    return toStoredMessage(
      { ...fromStoredMessage(message), isStarred, isStarredAt },
      ownerOf(messages),
    )
  }

  async function starAll(ids: readonly string[]) {
    for (let at = 0; at < ids.length && !state.isClosed; at += atOnce) {
      await changeDocuments(messages, ids.slice(at, at + atOnce), star)
    }
  }

  function take(documents: readonly StoredConversation[]) {
    const ids = documents.flatMap(({ _id, stars = {} }) => {
      const before = known.get(_id)
      known.set(_id, stars)
      return Object.entries(stars).flatMap(([id, { isStarred, at }]) => {
        const known = before?.[id]
        return known?.at === at && known.isStarred === isStarred ? [] : [id]
      })
    })
    if (ids.length > 0) starAll(ids).catch(onError)
  }

  const stops = [
    subscribeToChanges(conversations, ({ documents }) =>
      take(documents.filter(({ stars }) => stars)),
    ),
    subscribeToChanges(messages, ({ documents }) => {
      const late = documents.filter((message) => star(message) !== message)
      if (late.length > 0) starAll(late.map(({ _id }) => _id)).catch(onError)
    }),
  ]
  readConversations(conversations)
    .then((stored) => take([...stored.values()].filter(({ stars }) => stars)))
    .catch(onError)
  return {
    close() {
      state.isClosed = true
      for (const stop of stops) stop()
    },
  }
}
