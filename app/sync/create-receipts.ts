import { isAccepted } from '../../schema/message.ts'
import { changeConversations, raiseLastMessage } from '../database/change-conversation.ts'
import { createRefresher } from '../database/create-refresher.ts'
import { findNewestIncoming } from '../database/find-newest-message.ts'
import type { PetrelDatabase } from '../database/open-database.ts'
import { readConversations } from '../database/read-conversations.ts'
import type { StoredMessage } from '../database/stored-message.ts'
import { subscribeToChanges } from '../database/subscribe-to-changes.ts'

/**
 * Tells the server what has arrived on this device: one mark per conversation and batch, not one per
 * message. What arrived before a crash could say so is told at the start.
 */
export function createReceipts(options: {
  database: PetrelDatabase
  onError: (cause: unknown) => void
}): { close(): void } {
  const { database, onError } = options
  const arrived = new Map<string, Pick<StoredMessage, '_id' | 'orderedAt'>>()

  function note(message: StoredMessage) {
    if (message.senderId !== message.peerId || !isAccepted(message)) return
    const before = arrived.get(message.peerId)
    if (!before || before.orderedAt < message.orderedAt) arrived.set(message.peerId, message)
  }

  const refresher = createRefresher({
    onError,
    gatherMs: 15,
    async run() {
      const batch = new Map(arrived)
      arrived.clear()
      await changeConversations(database.conversations, [...batch.keys()], (conversation) => {
        const newest = batch.get(conversation._id)
        return !newest || conversation.deliveredUpTo >= newest.orderedAt
          ? conversation
          : { ...raiseLastMessage(conversation, newest), deliveredUpTo: newest.orderedAt }
      })
    },
  })

  async function catchUp() {
    const conversations = await readConversations(database.conversations)
    for (const { _id, lastMessageAt, deliveredUpTo } of conversations) {
      if (lastMessageAt <= deliveredUpTo) continue
      const newest = await findNewestIncoming(database.messages, _id)
      if (newest && newest.orderedAt > deliveredUpTo) arrived.set(_id, newest)
    }
    await refresher.refresh()
  }

  const unsubscribe = subscribeToChanges(database.messages, ({ documents, context }) => {
    if (!context.startsWith('replication-downstream')) return
    documents.forEach(note)
    if (arrived.size > 0) void refresher.refresh()
  })
  catchUp().catch(onError)
  return {
    close() {
      unsubscribe()
      refresher.close()
    },
  }
}
