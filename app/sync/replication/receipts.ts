import { isAccepted, isIncoming, type MessageDocument } from '../../../schema/message.ts'
import {
  changeConversations,
  raiseLastMessage,
} from '../../database/commands/change-conversation.ts'
import { readGaps } from '../../database/commands/mark-read.ts'
import { ownerOf, subscribeToChanges } from '../../database/storage/collections.ts'
import { findNewestArrived } from '../../database/storage/find-newest-message.ts'
import type { PetrelDatabase } from '../../database/storage/open-database.ts'
import { readConversations } from '../../database/views/read-conversations.ts'
import { createRefresher } from '../../database/views/refresher.ts'

/** The delay before a failed read or write is retried. */
const retryAfterMs = 5_000
/** What arrives within this time is reported together. */
export const gatherMs = 15
/** The shortest interval between raises of a conversation's mark, however fast messages arrive. */
export const markEveryMs = 300
/**
 * The interval while more messages are on their way: on a slow line each mark would displace a
 * dozen of them.
 */
const markWhileComingEveryMs = 10_000

export interface Receipts {
  /** Reports how many messages are still to come. */
  setComingCount(count: number): void
  /** What was left out may be reported now. */
  lookAgain(): void
  close(): void
}

/**
 * Reports received messages to the server: one mark per conversation and batch, not one per
 * message. The start reports messages that a crash left unreported.
 */
export function createReceipts(options: {
  database: PetrelDatabase
  onError: (cause: unknown) => void
}): Receipts {
  const { database, onError } = options
  const ownerId = ownerOf(database.messages)
  const arrived = new Map<string, MessageDocument>()
  /** Conversations already searched for messages that a crash left unreported. */
  const lookedThrough = new Set<string>()
  /** When each mark may be raised next. */
  const dueAt = new Map<string, number>()
  let hasCaughtUp = false
  let isComing = false
  let retry: ReturnType<typeof setTimeout> | undefined

  function tellLater(ms: number) {
    clearTimeout(retry)
    retry = setTimeout(() => void refresher.refresh(), ms)
  }

  function record(message: MessageDocument) {
    if (!isIncoming(message, ownerId) || !isAccepted(message)) return
    const before = arrived.get(message.peerId)
    if (!before || before.orderedAt < message.orderedAt) arrived.set(message.peerId, message)
  }

  const refresher = createRefresher({
    onError,
    gatherMs,
    run: () =>
      tell().catch((cause: unknown) => {
        tellLater(retryAfterMs)
        throw cause
      }),
  })

  async function tell() {
    if (!hasCaughtUp) {
      // Messages that arrive during the search trigger another one.
      hasCaughtUp = true
      await catchUp().catch((cause: unknown) => {
        hasCaughtUp = false
        throw cause
      })
    }
    const now = performance.now()
    for (const [id, time] of dueAt) if (time <= now) dueAt.delete(id)
    // After the messages: one that is ahead of a gap was noted before it was stored.
    const gaps = await readGaps(database)
    for (const [id, { orderedAt }] of arrived) {
      if (orderedAt >= (gaps.get(id) ?? Number.POSITIVE_INFINITY)) arrived.delete(id)
    }
    const batch = new Map([...arrived].filter(([id]) => !dueAt.has(id)))
    await changeConversations(database.conversations, [...batch.keys()], (conversation) => {
      const newest = batch.get(conversation._id)
      return !newest || conversation.deliveredUpTo >= newest.orderedAt
        ? conversation
        : { ...raiseLastMessage(conversation, newest), deliveredUpTo: newest.orderedAt }
    })
    for (const [id, newest] of batch) {
      dueAt.set(id, performance.now() + (isComing ? markWhileComingEveryMs : markEveryMs))
      if (arrived.get(id) === newest) arrived.delete(id)
    }
    const next = Math.min(...[...arrived.keys()].map((id) => dueAt.get(id) ?? now))
    if (arrived.size > 0) tellLater(next - performance.now())
  }

  async function catchUp() {
    const conversations = await readConversations(database.conversations)
    for (const { _id, deliveredUpTo } of conversations) {
      if (lookedThrough.has(_id)) continue
      const place = { peerId: _id, above: deliveredUpTo }
      const newest = await findNewestArrived(database.messages, place)
      if (newest) record(newest)
      lookedThrough.add(_id)
    }
  }

  const unsubscribe = subscribeToChanges(database.messages, ({ documents, context }) => {
    // Pulled, or in a push's answer: a restored server may have assigned another place.
    if (!context.startsWith('replication-')) return
    documents.forEach(record)
    if (arrived.size > 0) void refresher.refresh()
  })
  // A message may have come before its conversation, and the device may have closed in between.
  const stopMeeting = subscribeToChanges(database.conversations, ({ documents }) => {
    if (documents.every(({ _id }) => lookedThrough.has(_id))) return
    hasCaughtUp = false
    void refresher.refresh()
  })
  void refresher.refresh()
  return {
    setComingCount(count) {
      const hasEnded = isComing && count === 0
      isComing = count > 0
      if (!hasEnded) return
      dueAt.clear()
      // The last of them are about to be stored.
      tellLater(markEveryMs)
    },
    lookAgain() {
      lookedThrough.clear()
      hasCaughtUp = false
      void refresher.refresh()
    },
    close() {
      clearTimeout(retry)
      unsubscribe()
      stopMeeting()
      refresher.close()
    },
  }
}
