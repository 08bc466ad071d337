import { isAccepted, type MessageDocument } from '../../schema/message.ts'
import type { Storage } from '../storage/create-storage.ts'
import { nameMessagesDatabase } from '../storage/database-names.ts'
import { completeOwnCopy } from './complete-own-copy.ts'
import { finishMessages } from './finish-messages.ts'
import type { MessageFiles } from './share-files.ts'
import { takeBackWords } from './take-back-words.ts'

/**
 * A message that may be incomplete. `orderedAt`: its place, of which its copies have to agree; without it, the one that
 * the author's copy names. `isHeld`: there is no reader's copy.
 */
interface Unhealed {
  messageId: string
  orderedAt?: number | undefined
  isHeld?: boolean | undefined
}

/**
 * Completes an author's messages to one reader: an own copy that is missing, or still says that it failed, is made from
 * the reader's copy; what the author has deleted does not stay with the reader; both conversations name the newest.
 * Complete ones stay as they are.
 * @returns how many own copies were made good, and the ids of the messages of which no copy is there (yet)
 */
export async function healMessages(options: {
  storage: Storage
  files: MessageFiles
  authorId: string
  readerId: string
  messages: readonly Unhealed[]
  now: number
}): Promise<{ healed: number; without: Set<string> }> {
  const { storage, files, authorId, readerId, messages, now } = options
  const ids = messages.map(({ messageId }) => messageId)
  const readersCopies = await storage
    .database<MessageDocument>(nameMessagesDatabase(readerId))
    .read(messages.flatMap(({ messageId, isHeld }) => (isHeld ? [] : [messageId])))
  const arrived = [...readersCopies.values()].filter((copy) => copy.senderId === authorId)
  const own = storage.database<MessageDocument>(nameMessagesDatabase(authorId))
  const { result } = await own.update(ids, (stored) => {
    const put = arrived.flatMap((copy) => {
      const before = stored.get(copy._id)
      return before && isAccepted(before) ? [] : [completeOwnCopy(before, copy)]
    })
    const current = new Map([...stored, ...put.map((message) => [message._id, message] as const)])
    return { put, result: { healed: put.length, current } }
  })
  const kept = arrived.filter(({ deletedAt }) => deletedAt === undefined)
  const deletions = new Map(
    kept.flatMap(({ _id }) => {
      const message = result.current.get(_id)
      if (message?.senderId !== authorId || message.deletedAt === undefined) return []
      return [[_id, message.deletedAt] as const]
    }),
  )
  await takeBackWords({ storage, files, authorId, readerId, deletions })
  const copies = messages.flatMap(({ messageId, orderedAt, isHeld }) => {
    const message = result.current.get(messageId)
    const isInPlace = orderedAt === undefined || message?.orderedAt === orderedAt
    return message && isInPlace && isAccepted(message)
      ? [{ message, isHeld: isHeld ?? !readersCopies.has(messageId) }]
      : []
  })
  await finishMessages({ storage, authorId, copies, now })
  const without = ids.filter((id) => !readersCopies.has(id) && !result.current.has(id))
  return { healed: result.healed, without: new Set(without) }
}
