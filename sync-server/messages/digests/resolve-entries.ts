import { isAccepted, type MessageDocument } from '../../../schema/message.ts'
import { nameMessagesDatabase } from '../../storage/databases/database-names.ts'
import type { Storage } from '../../storage/storage.ts'
import { type OrderEntry, placeOf } from '../order/order-entry.ts'
import {
  type DeletionDigest,
  deletionKey,
  digestsDatabase,
  type Seen,
  type Tally,
} from './digest-documents.ts'

/**
 * What places mean for one of the two people. `open`: it is not known yet whether a message exists.
 */
export interface Resolved extends Tally {
  /** The existing messages, oldest first. */
  seen: Seen[]
  open: OrderEntry[]
}

/**
 * Resolves places of one conversation for one of its people: does a message exist, and which? Whole
 * entries tell it themselves; others need their copies.
 * @param entries oldest first
 */
export async function resolveEntries(options: {
  storage: Storage
  ownerId: string
  peerId: string
  entries: readonly OrderEntry[]
}): Promise<Resolved> {
  const { storage, ownerId, peerId } = options
  const entries = options.entries.filter(({ isHeld, senderId }) => !isHeld || senderId === ownerId)
  const doubtful = entries.flatMap(({ isWhole, messageId }) => (isWhole ? [] : [messageId]))
  const own = storage.database<MessageDocument>(nameMessagesDatabase(ownerId))
  const copies = doubtful.length > 0 ? await own.read(doubtful) : new Map()
  const deletions = await readDeletions()
  const resolved: Resolved = { sent: 0, received: 0, files: 0, seen: [], open: [] }
  for (const entry of entries) {
    const { messageId, senderId, isWhole } = entry
    const orderedAt = placeOf(entry)
    const copy = copies.get(messageId)
    if (!isWhole && (!copy || !isAccepted(copy))) {
      resolved.open.push(entry)
      continue
    }
    // A crashed attempt can leave an entry behind: the message's own place decides.
    if (!isWhole && (copy?.peerId !== peerId || copy.orderedAt !== orderedAt)) continue
    const hasFile = isWhole ? entry.hasFile === true : hadFile(copy)
    resolved.seen.push({ messageId, orderedAt })
    resolved.sent += Number(senderId === ownerId)
    resolved.received += Number(senderId !== ownerId)
    resolved.files += Number(hasFile)
  }
  return resolved

  /** Read after the copies: a deletion reaches its digest before any copy. */
  async function readDeletions(): Promise<ReadonlyMap<string, DeletionDigest>> {
    const deleted = [...copies.values()].filter(isDeleted)
    if (deleted.length === 0) return new Map()
    const ids = deleted.map(({ _id }) => deletionKey(ownerId, peerId, _id))
    return await storage.database<DeletionDigest>(digestsDatabase).read(ids)
  }

  function hadFile(copy: MessageDocument | undefined): boolean {
    if (copy?.mediaUrl !== undefined) return true
    return copy ? (deletions.get(deletionKey(ownerId, peerId, copy._id))?.hasFile ?? false) : false
  }
}

function isDeleted(message: MessageDocument): boolean {
  return message.deletedAt !== undefined && isAccepted(message)
}
