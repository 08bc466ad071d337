import { blankDeleted } from '../../../schema/blank-deleted.ts'
import { areMessagesEqual, mergeMessages, mergeRegisters } from '../../../schema/merge-messages.ts'
import { isAccepted, type MessageDocument } from '../../../schema/message.ts'
import { jointRegisters } from '../../../schema/message-registers.ts'
import { pickShared } from '../../../schema/peer-copy.ts'
import { nameMessagesDatabase } from '../../storage/databases/database-names.ts'
import type { Storage } from '../../storage/storage.ts'
import { beginConversations } from '../copies/begin-conversations.ts'
import { completeOwnCopy } from '../copies/complete-own-copy.ts'
import type { MessageFiles } from '../copies/message-files.ts'
import { weighDocument } from '../copies/weigh-document.ts'
import { toDeletionDigest, toStarDigest } from '../digests/digest-documents.ts'
import { recordDigests } from '../digests/record-digests.ts'
import { takeBackWords } from './take-back-words.ts'

/**
 * A message that may be incomplete. `orderedAt`: the place its copies must agree on; absent, the
 * author's copy decides. `isHeld`: no reader's copy exists. `isAmended`: its text may differ
 * between copies.
 */
interface Unhealed {
  messageId: string
  orderedAt?: number | undefined
  isHeld?: boolean | undefined
  isAmended?: boolean | undefined
}

/**
 * Completes an author's messages to one reader: rebuilds a missing or failed own copy from the
 * reader's, puts the later of two texts into both, applies the author's deletions to the reader,
 * begins both conversations. Leaves complete ones unchanged.
 * @returns how many own copies it repaired, and the ids of messages without any copy (yet)
 */
export async function healMessages(options: {
  storage: Storage
  files: MessageFiles
  authorId: string
  readerId: string
  messages: readonly Unhealed[]
}): Promise<{ healed: number; without: Set<string> }> {
  const { storage, files, authorId, readerId, messages } = options
  const ids = messages.map(({ messageId }) => messageId)
  const readers = storage.database<MessageDocument>(nameMessagesDatabase(readerId))
  const readersCopies = await readers.read(
    messages.flatMap(({ messageId, isHeld }) => (isHeld ? [] : [messageId])),
  )
  const arrived = [...readersCopies.values()].filter((copy) => copy.senderId === authorId)
  const isAmended = new Set(messages.flatMap((one) => (one.isAmended ? [one.messageId] : [])))
  const own = storage.database<MessageDocument>(nameMessagesDatabase(authorId))
  await recordDigests(storage, await listDigests())
  const { result } = await own.update(ids, (stored) => {
    const put = arrived.flatMap((copy) => {
      const before = stored.get(copy._id)
      if (!before || !isAccepted(before)) return [completeOwnCopy(before, copy)]
      const shared = isAmended.has(copy._id) ? mergeShared(before, copy) : mergeJoint(before, copy)
      return areMessagesEqual(before, shared) ? [] : [shared]
    })
    const current = new Map([...stored, ...put.map((message) => [message._id, message] as const)])
    const growth = put.map((copy) => weighDocument(copy) - weighDocument(stored.get(copy._id)))
    const tally = growth.reduce((sum, bytes) => sum + bytes, 0)
    return { put, tally, result: { healed: put.length, current, stored } }
  })
  await amendReaders(isAmended, result.current)
  await takeBackWords({
    storage,
    files,
    authorId,
    readerId,
    deletions: findDeletions(arrived, result.current, authorId),
  })
  await beginWithAny()
  const overtaken = await findOvertaken()
  if (overtaken.length > 0) await healMessages({ ...options, messages: overtaken })
  const without = ids.filter((id) => !readersCopies.has(id) && !result.current.has(id))
  return { healed: result.healed, without: new Set(without) }

  /**
   * Any repaired message may have a star by then. What is deleted existed before in one of the
   * copies.
   */
  async function listDigests() {
    const stored = await own.read(arrived.map(({ _id }) => _id))
    return arrived.flatMap((copy) => {
      const before = stored.get(copy._id)
      const isDue = !before || !isAccepted(before)
      const isDeleted = copy.deletedAt !== undefined || before?.deletedAt !== undefined
      const { orderedAt } = copy
      return [
        ...(isDue ? [toStarDigest(authorId, { ...copy, peerId: readerId })] : []),
        ...(isDeleted ? [toDeletionDigest({ ...(before ?? copy), orderedAt })] : []),
      ]
    })
  }

  /** Their reader found no author's copy to change, and changed the reader's alone. */
  async function findOvertaken(): Promise<Unhealed[]> {
    const rebuilt = arrived.filter(({ _id }) => !result.stored.has(_id))
    if (rebuilt.length === 0) return []
    const found = await readers.read(rebuilt.map(({ _id }) => _id))
    return rebuilt.flatMap(({ _id: messageId, _rev }) => {
      const isSame = found.get(messageId)?._rev === _rev
      return isSame ? [] : [{ messageId, isAmended: true }]
    })
  }

  async function amendReaders(
    amended: ReadonlySet<string>,
    current: ReadonlyMap<string, MessageDocument>,
  ) {
    const behind = arrived.filter(({ _id }) => amended.has(_id))
    if (behind.length === 0) return
    await readers.update(
      behind.map(({ _id }) => _id),
      (stored) => {
        const put = [...stored.values()].flatMap((copy) => {
          const accepted = current.get(copy._id)
          // Their author may have written both copies since: the later text wins here too.
          const shared = accepted ? mergeShared(copy, accepted) : copy
          return areMessagesEqual(copy, shared) ? [] : [shared]
        })
        return { put, result: undefined }
      },
    )
  }

  async function beginWithAny() {
    for (const { messageId, orderedAt, isHeld } of messages) {
      const message = result.current.get(messageId)
      const isInPlace = orderedAt === undefined || message?.orderedAt === orderedAt
      if (!message || !isInPlace || !isAccepted(message)) continue
      const isHere = isHeld ?? !readersCopies.has(messageId)
      await beginConversations({ storage, authorId, readerId, message, isHeld: isHere })
      return
    }
  }
}

/** One person's copy with the later of two texts, what both people changed, and either deletion. */
function mergeShared(copy: MessageDocument, other: MessageDocument): MessageDocument {
  return mergeMessages(copy, { ...copy, ...pickShared(other) })
}

/** The author's copy with what its reader changed while the author's was missing. */
function mergeJoint(own: MessageDocument, copy: MessageDocument): MessageDocument {
  return blankDeleted({ ...own, ...mergeRegisters(jointRegisters, own, copy) })
}

function findDeletions(
  arrived: readonly MessageDocument[],
  current: ReadonlyMap<string, MessageDocument>,
  authorId: string,
): Map<string, number> {
  const kept = arrived.filter(({ deletedAt }) => deletedAt === undefined)
  return new Map(
    kept.flatMap(({ _id }) => {
      const message = current.get(_id)
      if (message?.senderId !== authorId || message.deletedAt === undefined) return []
      return [[_id, message.deletedAt] as const]
    }),
  )
}
