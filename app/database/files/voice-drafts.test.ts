import { v7 as createId } from 'uuid'
import { expect, test } from 'vitest'
import { createLabLocks } from '../../lab/kit/locks.ts'
import { sendFile } from '../commands/send-file.ts'
import { ben, openTestDatabase } from '../testing/open-test-database.ts'
import { createVoiceDrafts } from './voice-drafts.ts'

const locks = createLabLocks()
const type = 'audio/webm'
const about = { name: 'Voice message.webm', size: 9, mimeType: type }

const part = (messageId: string, place: number, words: string) => ({
  peerId: ben,
  messageId,
  place,
  bytes: new Blob([words], { type }),
  levels: [{ at: place * 2_000, level: 0.5 }],
  endsAt: (place + 1) * 2_000,
})

test('P1: what was recorded before a reload is there again in its order, and the older recording first', async () => {
  const { context, open } = await openTestDatabase()
  const drafts = createVoiceDrafts({ ...context, locks })
  const [first, second] = [createId(), createId()]
  for (const [place, words] of ['the ', 'tide ', 'is low'].entries()) {
    await drafts.keep(part(first, place, words))
  }
  await drafts.keep(part(second, 0, 'and cold'))
  const later = createVoiceDrafts({ ...context, database: await open('second'), locks })
  const draft = await later.read(ben)
  expect(draft).toMatchObject({ messageId: first, durationMs: 6_000 })
  expect(draft?.levels.map(({ at }) => at)).toEqual([0, 2_000, 4_000])
  expect(draft?.bytes.type).toBe(type)
  expect(await draft?.bytes.text()).toBe('the tide is low')
  await later.drop({ peerId: ben, messageId: first })
  expect(await (await later.read(ben))?.bytes.text()).toBe('and cold')
  expect(await later.read(context.userId)).toBeUndefined()
})

test('P2: a recording that became a message is no draft any more, even when its draft was not removed', async () => {
  const { context } = await openTestDatabase()
  const drafts = createVoiceDrafts({ ...context, locks })
  const id = createId()
  await drafts.keep(part(id, 0, 'the tide'))
  const bytes = new Blob(['the tide'])
  await sendFile(context, { id, peerId: ben, bytes, about, type: 'audio', content: '' })
  expect(await drafts.read(ben)).toBeUndefined()
  const again = { id, peerId: ben, bytes, about, type: 'audio' as const, content: '' }
  await expect(sendFile(context, again)).rejects.toThrow()
  expect(await context.database.messages.find().exec()).toHaveLength(1)
})

test('what is being recorded in one tab is offered by another only once that has let it go', async () => {
  const { context, open } = await openTestDatabase()
  const recording = createVoiceDrafts({ ...context, locks })
  const other = createVoiceDrafts({ ...context, database: await open('second'), locks })
  const [first, second] = [createId(), createId()]
  const release = recording.hold(first)
  await recording.keep(part(first, 0, 'the tide'))
  expect(await other.read(ben)).toBeUndefined()
  expect(await other.count()).toBe(1)
  await recording.keep(part(second, 0, 'and cold'))
  expect(await other.read(ben)).toMatchObject({ messageId: second })
  // The recording tab waits for its own pending writes.
  const reading = recording.read(ben)
  release()
  expect(await reading).toMatchObject({ messageId: first })
  expect(await other.read(ben)).toMatchObject({ messageId: first })
})

test('recordings of all chats are counted, those that became a message are not', async () => {
  const { context } = await openTestDatabase()
  const drafts = createVoiceDrafts({ ...context, locks })
  expect(await drafts.count()).toBe(0)
  const id = createId()
  await drafts.keep(part(id, 0, 'the '))
  await drafts.keep(part(id, 1, 'tide'))
  await drafts.keep({ ...part(createId(), 0, 'to myself'), peerId: context.userId })
  expect(await drafts.count()).toBe(2)
  const bytes = new Blob(['the tide'])
  await sendFile(context, { id, peerId: ben, bytes, about, type: 'audio', content: '' })
  expect(await drafts.count()).toBe(1)
})
