import { v7 as createId } from 'uuid'
import { type MessageDocument, messageDocument } from '../../../../schema/message.ts'
import { createMessageSource } from '../../../database/search/database-message-source.ts'
import { createSearchIndex } from '../../../database/search/search-index.ts'
import { openDatabase } from '../../../database/storage/open-database.ts'
import { toStoredMessage } from '../../../database/storage/stored-message.ts'
import { createRandom } from '../../kit/random.ts'
import { createWriter } from './writer.ts'

const userId = createId()
const peers = Array.from({ length: 50 }, () => createId())
/** One message in a hundred is from this sender. */
const quietPeer = peers.at(-1) ?? ''
const heartbeatMs = 4
const pageOfHits = 50

/** The browser's part: a person's database with many messages, and the search over them. */
async function openSearchPage() {
  const writer = createWriter(createRandom(7))
  const random = createRandom(8)
  const database = await openDatabase({ userId, now: Date.now })
  let stored = 0

  function makeMessage(): MessageDocument {
    stored += 1
    const peerId = peers[Math.floor(random() ** 2 * peers.length)] ?? quietPeer
    return messageDocument.parse({
      _id: createId(),
      peerId,
      senderId: peerId,
      recipientId: userId,
      status: 'delivered',
      content: writer.writeText(),
      createdAt: stored,
      orderedAt: stored,
    })
  }

  async function receive(count: number): Promise<void> {
    for (let left = count; left > 0; left -= 1_000) {
      const batch = Array.from({ length: Math.min(left, 1_000) }, makeMessage)
      await database.messages.bulkInsert(batch.map((message) => toStoredMessage(message, userId)))
    }
  }

  const openIndex = () =>
    createSearchIndex({
      databaseName: `petrel-${userId}`,
      messages: createMessageSource(database),
    })
  let index: Awaited<ReturnType<typeof openIndex>> | undefined

  return {
    receive,
    /** Opens the index and lets it catch up: ms, the page's longest freeze, bytes on the disk. */
    async build(): Promise<{ took: number; longestBlock: number; disk: number }> {
      const diskBefore = await measureDisk()
      const blocks = watchBlocks()
      const start = performance.now()
      index = await openIndex()
      await index.catchUp()
      const took = performance.now() - start
      return { took, longestBlock: blocks.stop(), disk: (await measureDisk()) - diskBefore }
    },
    /**
     * A catch-up while the index is open: ms from the last message stored until all are searchable.
     */
    async catchUp(count: number): Promise<number> {
      await receive(count)
      const start = performance.now()
      await index?.catchUp()
      return performance.now() - start
    },
    /** The same after a reload. */
    async reopen(): Promise<number> {
      await index?.close()
      const start = performance.now()
      index = await openIndex()
      await index.catchUp()
      return performance.now() - start
    },
    /** Each query's first page of hits: ms. */
    async search(queries: readonly string[], isWithinOne = false): Promise<number[]> {
      const took: number[] = []
      for (const text of queries) {
        const start = performance.now()
        await index?.search({ text, limit: pageOfHits, ...(isWithinOne && { peerId: quietPeer }) })
        took.push(performance.now() - start)
      }
      return took
    },
    listQueries: (count: number) => writer.listQueries(count),
  }
}

async function measureDisk(): Promise<number> {
  return (await navigator.storage.estimate()).usage ?? 0
}

/** A timer's lateness shows how long the page was blocked. */
function watchBlocks() {
  let longest = 0
  let due = performance.now() + heartbeatMs
  const timer = setInterval(() => {
    const now = performance.now()
    longest = Math.max(longest, now - due)
    due = now + heartbeatMs
  }, heartbeatMs)
  return {
    stop() {
      clearInterval(timer)
      return longest
    },
  }
}

export type SearchPageUnderTest = Awaited<ReturnType<typeof openSearchPage>>

Object.assign(globalThis, { openSearchPage })
