import type { MessageDocument } from '../../schema/message.ts'
import type { Storage } from '../storage/create-storage.ts'
import { findNewest, raiseLastMessages } from './raise-last-messages.ts'
import { raiseReceipts } from './raise-receipts.ts'

/** An author's copy; a held one has no other copy. */
export interface FinishedCopy {
  message: MessageDocument
  isHeld: boolean
}

/**
 * What follows once all copies are written: both people's conversations name their newest message, and a receipt that
 * the reader gave while the author's copy was not there yet is set on it.
 */
export async function finishMessages(options: {
  storage: Storage
  authorId: string
  copies: readonly FinishedCopy[]
  now: number
}): Promise<void> {
  const { storage, authorId, copies, now } = options
  const messages = copies.map(({ message }) => message)
  const arrived = copies.flatMap(({ message, isHeld }) => (isHeld ? [] : [message]))
  if (messages.length === 0) return
  const toPeer = ({ recipientId }: MessageDocument) => recipientId
  const ownNewest = findNewest(messages, toPeer)
  const peersNewest = findNewest(arrived, toPeer)
  const [readers] = await Promise.all([
    raiseForPeers(storage, authorId, peersNewest),
    raiseLastMessages({ storage, ownerId: authorId, newest: ownNewest }),
  ])
  const read = arrived.filter(({ recipientId, orderedAt }) => {
    const marks = readers.get(recipientId)
    return marks && orderedAt <= Math.max(marks.deliveredUpTo, marks.readUpTo)
  })
  if (read.length === 0) return
  await raiseReceipts({
    storage,
    authorId,
    messageIds: read.map(({ _id }) => _id),
    marksOf: ({ recipientId }) => readers.get(recipientId),
    now,
  })
}

async function raiseForPeers(
  storage: Storage,
  authorId: string,
  newest: ReadonlyMap<string, MessageDocument>,
) {
  const raised = await Promise.all(
    [...newest].map(async ([peerId, message]) => {
      const ofAuthor = new Map([[authorId, message]])
      const found = await raiseLastMessages({ storage, ownerId: peerId, newest: ofAuthor })
      return [peerId, found.get(authorId)] as const
    }),
  )
  return new Map(raised)
}
