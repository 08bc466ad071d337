import { findNewestMessage } from './find-newest-message.ts'
import type { PetrelDatabase } from './open-database.ts'
import { readDocuments } from './read-documents.ts'

/**
 * The `orderedAt` of a message that is sent now: behind all that this device has seen in the conversation.
 * Never the clock's time, so a clock that runs ahead cannot put a message where nobody looks.
 */
export async function findNextPlace(database: PetrelDatabase, peerId: string): Promise<number> {
  const [newest, conversations] = await Promise.all([
    findNewestMessage(database.messages, peerId),
    readDocuments(database.conversations, [peerId]),
  ])
  const seen = conversations.get(peerId)?.lastMessageAt ?? 0
  return Math.max(newest?.orderedAt ?? 0, seen) + 1
}
