import { onTestFinished } from 'vitest'
import { markRead } from '../commands/mark-read.ts'
import { ben, openTestDatabase } from './open-test-database.ts'
import { receiveMessages } from './open-test-search.ts'

/** The id of Ben's message at a place; places count from 1. */
export const idOf = (place: number) => `01900000-0000-7000-8000-${String(place).padStart(12, '0')}`

/** Ann's database with Ben's first `read` messages read and the next `unread` ones unread. */
export async function openTestConversation({ read, unread }: { read: number; unread: number }) {
  const opened = await openTestDatabase()
  const { database, context } = opened
  onTestFinished(() => database.close())
  const receive = (from: number, count: number) =>
    receiveMessages(
      database,
      Array.from({ length: count }, (_, i) => {
        const place = from + i
        return { _id: idOf(place), peerId: ben, orderedAt: place, content: `message ${place}` }
      }),
    )
  await receive(1, read)
  if (read > 0) await markRead(context, { peerId: ben })
  await receive(read + 1, unread)
  return { ...opened, receive }
}
