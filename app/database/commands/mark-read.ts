import { isIncoming, type MessageDocument, messageDocument } from '../../../schema/message.ts'
import { type CommandContext, ownerOf } from '../storage/collections.ts'
import { findNewestIncoming } from '../storage/find-newest-message.ts'
import type { PetrelDatabase } from '../storage/open-database.ts'
import type { ConversationAhead } from '../storage/open-device-store.ts'
import { readConversations } from '../views/read-conversations.ts'
import { findFirstUnread } from '../views/read-message-page.ts'
import { changeConversation } from './change-conversation.ts'

/**
 * Marks rise only over what the device has. A pushed message comes ahead of the catch-up: below it
 * may lie others that nobody here has seen. So each one is noted before the device stores it, and
 * until a catch-up has reached its end the marks of its conversation stay below the first of them.
 */

type Data = Pick<PetrelDatabase, 'messages' | 'conversations' | 'device'>

/**
 * Marks a conversation's messages as read: all, or up to a place (`orderedAt`). Marks only rise.
 * What cannot be marked yet is noted, and `closeGaps` marks it.
 */
export async function markRead(
  { database }: Pick<CommandContext, 'database'>,
  { peerId, place }: { peerId: string; place?: number | undefined },
): Promise<void> {
  const upTo = place ?? (await findNewestIncoming(database.messages, peerId))?.orderedAt
  if (upTo === undefined) return
  await raiseRead(database, { peerId, upTo: await limitToGap(database, { peerId, upTo }) })
}

async function raiseRead(
  { conversations }: Pick<Data, 'conversations'>,
  { peerId, upTo }: { peerId: string; upTo: number },
): Promise<void> {
  if (upTo === 0) return
  await changeConversation(conversations, peerId, (conversation) =>
    conversation.readUpTo >= upTo
      ? conversation
      : {
          ...conversation,
          readUpTo: upTo,
          deliveredUpTo: Math.max(conversation.deliveredUpTo, upTo),
        },
  )
}

/** How far the mark may rise now; 0 for nowhere. In one transaction: a gap may close meanwhile. */
async function limitToGap(
  { device }: Pick<Data, 'device'>,
  { peerId, upTo }: { peerId: string; upTo: number },
): Promise<number> {
  let limit = upTo
  await device.ahead.where({ _id: peerId }).modify((row) => {
    if (upTo < firstPlace(row)) return
    row.readUpTo = Math.max(row.readUpTo, upTo)
    limit = row.heldUpTo
  })
  return limit
}

/**
 * Notes the other people's messages among documents that the device is about to store before the
 * catch-up has brought their predecessors.
 * @returns is any message of this device ahead of a gap?
 */
export async function recordAhead(
  { messages, device }: Data,
  documents: readonly unknown[],
): Promise<boolean> {
  const arriving = documents.flatMap((document) => {
    const read = messageDocument.safeParse(document)
    return read.success && isIncoming(read.data, ownerOf(messages)) ? [read.data] : []
  })
  for (const peerId of new Set(arriving.map((message) => message.peerId))) {
    const own = arriving.filter((message) => message.peerId === peerId)
    const held = (await findNewestIncoming(messages, peerId))?.orderedAt ?? 0
    const earlier = await device.ahead.get(peerId)
    const fresh = { _id: peerId, messages: [], heldUpTo: held, readUpTo: 0 }
    await device.ahead.put(addAhead(earlier ?? fresh, own))
  }
  return (await device.ahead.count()) > 0
}

function addAhead(row: ConversationAhead, arriving: readonly MessageDocument[]): ConversationAhead {
  const known = new Set(row.messages.map(({ _id }) => _id))
  const added = arriving.filter(({ _id }) => !known.has(_id))
  const next = {
    ...row,
    messages: [...row.messages, ...added.map(({ _id, orderedAt }) => ({ _id, orderedAt }))],
  }
  // One that belongs below what the device has: how far it has everything is unknown.
  return next.heldUpTo < firstPlace(next) ? next : { ...next, heldUpTo: 0 }
}

/** The place of each conversation's first message ahead of a gap: receipts stay below it. */
export async function readGaps({ device }: Pick<Data, 'device'>): Promise<Map<string, number>> {
  const rows = await device.ahead.toArray()
  return new Map(rows.map((row) => [row._id, firstPlace(row)]))
}

/**
 * The catch-up has reached its end, and all of it is stored: marks what the person has read
 * meanwhile, up to the first message that has come since.
 */
export async function closeGaps(database: Data): Promise<void> {
  const { ahead } = database.device
  const marks = new Map(
    (await readConversations(database.conversations)).map((one) => [one._id, one.readUpTo]),
  )
  for (const { _id: peerId } of await ahead.toArray()) {
    // Reading on meanwhile asks for another round.
    for (;;) {
      const row = await ahead.get(peerId)
      if (!row) break
      const upTo = await findSeenUpTo(database, { row, readUpTo: marks.get(peerId) ?? 0 })
      await raiseRead(database, { peerId, upTo })
      await ahead
        .where({ _id: peerId })
        .filter(({ readUpTo }) => readUpTo === row.readUpTo)
        .delete()
    }
  }
}

async function findSeenUpTo(
  { messages }: Pick<Data, 'messages'>,
  { row, readUpTo }: { row: ConversationAhead; readUpTo: number },
): Promise<number> {
  const seen = new Set(row.messages.map(({ _id }) => _id))
  let upTo = Math.max(readUpTo, row.readUpTo > 0 ? row.heldUpTo : 0)
  for (;;) {
    const next = await findFirstUnread(messages, { peerId: row._id, readUpTo: upTo })
    if (!next || next.orderedAt > row.readUpTo || !seen.has(next._id)) return upTo
    upTo = next.orderedAt
  }
}

function firstPlace({ messages }: ConversationAhead): number {
  return Math.min(...messages.map(({ orderedAt }) => orderedAt))
}
