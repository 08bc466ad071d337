import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import {
  type OutboxEntry,
  outboxDatabase,
  outboxEntryKey,
} from '../../messages/acceptance/outbox-entry.ts'
import { createStorage } from '../../storage/storage.ts'
import { createOutbox } from './send-queue.ts'

const ann = '01900000-0000-7000-8000-0000000000aa'
const contactId = '01900000-0000-7000-8000-0000000000cc'
const open: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

test('once a status says that what a crash cut off was taken, nobody waits behind it any more', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'petrel-outbox-'))
  open.push(() => rm(dataDir, { recursive: true }))
  const storage = createStorage({ dataDir, durability: 'relaxed' })
  open.push(() => storage.close())
  const database = storage.database<OutboxEntry>(outboxDatabase)
  const write = (n: number, state: OutboxEntry['state']): OutboxEntry => {
    const messageId = `01900000-0000-7000-8000-00000000000${n}`
    return {
      _id: outboxEntryKey({ ownerId: ann, messageId, attempt: 1 }),
      ownerId: ann,
      contactId,
      messageId,
      attempt: 1,
      orderedAt: n,
      state,
      dueAt: 0,
      tries: 0,
      since: 1_000,
    }
  }
  const [cutOff, next] = [write(1, 'sending'), write(2, 'due')]
  await database.update([cutOff._id, next._id], () => ({ put: [cutOff, next], result: undefined }))

  const tried: string[] = []
  const faults: unknown[] = []
  const outbox = createOutbox({
    database,
    // The clock is stopped: nothing times out.
    clock: { now: () => 1_000, after: () => () => undefined },
    async attempt({ messageId }) {
      tried.push(messageId)
      return { kind: 'gone', answer: { kind: 'settled' } }
    },
    giveUp: async () => undefined,
    onError: (error) => faults.push(error),
  })
  open.push(() => outbox.close())
  await outbox.resume()
  expect(tried).toEqual([])
  await outbox.settle(cutOff._id)
  await expect.poll(() => tried).toEqual([next.messageId])
  await expect.poll(async () => await database.range({})).toEqual([])
  expect(faults).toEqual([])
})
