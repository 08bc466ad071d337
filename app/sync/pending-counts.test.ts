import { expect, onTestFinished, test, vi } from 'vitest'
import { discardMessage } from '../database/commands/change-message.ts'
import { sendMessage } from '../database/commands/send-message.ts'
import { ben, openTestDatabase } from '../database/testing/open-test-database.ts'
import { createLiveValue } from '../database/views/live-value.ts'
import { waitUntil } from '../lab/browser/wait-until.ts'
import { untilLive } from '../lab/device/read-conversation.ts'
import { createConnection } from './connection.ts'
import { createOutbox } from './outbox.ts'

/** A message that leaves right after the index was asked for it, before the answer is here. */
async function openLeaving() {
  const { context, database } = await openTestDatabase()
  const messageId = await sendMessage(context, { peerId: ben, content: 'on its way' })
  const { storageInstance } = database.messages
  const count = storageInstance.count.bind(storageInstance)
  const counting = vi.spyOn(storageInstance, 'count').mockImplementationOnce(async (query) => {
    const counted = await count(query)
    await discardMessage(context, messageId)
    return counted
  })
  onTestFinished(() => counting.mockRestore())
  const untilCounted = () => waitUntil('it is counted', () => counting.mock.results.length > 0)
  return { context, database, untilCounted }
}

function raise(cause: unknown) {
  throw cause
}

test('a message that is sent while it is counted does not wait for ever', async () => {
  const { database, untilCounted } = await openLeaving()
  const { connection, close } = createConnection({
    messages: database.messages,
    page: { isOnline: () => true, isVisible: () => true, subscribe: () => () => {} },
    now: Date.now,
    onError: raise,
  })
  onTestFinished(close)
  const seen: number[] = []
  connection.subscribe(() => seen.push(connection.getSnapshot().pendingCount))
  await untilCounted()
  await waitUntil('it is seen', () => seen.length > 0)
  await untilLive(connection, ({ pendingCount }) => pendingCount === 0)
})

test('nor does it stay in the outbox', async () => {
  const { context, untilCounted } = await openLeaving()
  const nothing = createLiveValue(new Map())
  const { counts, close } = createOutbox({
    context,
    queue: { requests: { entries: createLiveValue([]) } },
    leadership: { setAside: nothing },
    withheld: createLiveValue({ deleted: new Map(), cleared: new Map() }),
    connection: nothing,
    onError: raise,
  } as unknown as Parameters<typeof createOutbox>[0])
  onTestFinished(close)
  const seen: number[] = []
  counts.subscribe(() => seen.push(counts.getSnapshot().waiting))
  await untilCounted()
  await waitUntil('it is seen', () => seen.length > 0)
  await untilLive(counts, ({ waiting }) => waiting === 0)
  expect(seen).toEqual([1, 0])
})
