import { v7 as createId } from 'uuid'
import { expect, onTestFinished, test } from 'vitest'
import { createFaultyDisk } from './storage/testing/faulty-disk.ts'
import { startTestApp } from './testing/start-test-app.ts'

test.for([true, false])(
  'P6: while nothing can be stored every door says 503 and when to come again (in one transaction: %s)',
  async (isAtomic) => {
    const disk = createFaultyDisk()
    const server = await startTestApp({}, { wrapLevel: disk.wrapLevel, isAtomic })
    onTestFinished(server.close)
    const ann = await server.register('Ann')
    const ben = await server.register('Ben')
    disk.fillUp({ after: 0, count: 1_000, leaves: 'nothing' })
    const message = {
      _id: createId(),
      peerId: ben.userId,
      senderId: ann.userId,
      recipientId: ben.userId,
      type: 'text',
      content: 'Hello',
      createdAt: Date.now(),
      orderedAt: 1,
      attempt: 1,
      status: 'sending',
      statusHistory: [],
      isStarred: false,
      isStarredAt: 0,
    }
    const pushed = await server.call('POST', '/sync/messages/_bulk_docs', {
      token: ann.token,
      body: { docs: [message] },
    })
    const sent = await server.call('POST', '/api/messages', {
      token: ann.token,
      body: { recipientId: ben.userId, content: 'Hello', type: 'text' },
    })
    for (const { status, headers, text } of [pushed, sent]) {
      expect([status, text]).toEqual([503, expect.stringContaining('storage_unavailable')])
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    }
    disk.makeRoom()
  },
)
