import { expect, test } from 'vitest'
import { untilLive } from '../../lab/device/read-conversation.ts'
import { openTestLab } from '../../lab/open-test-lab.ts'
import { writeReport } from './write-report.ts'

test('a report has states and numbers, and nothing of what people wrote, are called or are', async () => {
  const { lab, ann, ben } = await openTestLab()
  const phone = await ann.device()
  await phone.say(ben, 'a secret word')
  await lab.settle()
  phone.network.goOffline()
  const id = await phone.say(ben, 'another secret')
  await untilLive(phone.messenger.connection, ({ pendingCount }) => pendingCount === 1)
  // The list is read apart from the count.
  await untilLive(phone.messenger.conversations, (rows) => rows.length === 1)
  const browser = { userAgent: 'Test', language: 'en', onLine: false, storage: {} } as Navigator
  const report = await writeReport(phone.messenger, browser)
  expect(report).toContain('Messages to send: 1')
  expect(report).toContain('Chats: 1')
  expect(report).toContain('Petrel: 1.0.0, protocol 2')
  for (const hidden of ['secret', 'ben', 'example.org', ann.userId, ben.userId, id]) {
    expect(report).not.toContain(hidden)
  }
})
