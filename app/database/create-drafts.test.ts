import { expect, onTestFinished, test } from 'vitest'
import { untilLive } from '../lab/read-conversation.ts'
import { createDrafts } from './create-drafts.ts'
import { createKeptTexts } from './kept-texts.ts'
import type { PetrelDatabase } from './open-database.ts'
import { ann, ben, openTestDatabase } from './open-test-database.ts'

const open = (database: PetrelDatabase, texts = createKeptTexts()) =>
  createDrafts({ drafts: database.device.drafts, userId: ann, texts, now: () => 1, onError: raise })

function raise(cause: unknown) {
  throw cause
}

test('a draft is there after a reload, and leaves nothing in the texts once it is stored', async () => {
  const { database } = await openTestDatabase()
  onTestFinished(async () => void (await database.close()))
  const texts = createKeptTexts()
  const drafts = await open(database, texts)
  drafts.set(ben, 'hel')
  drafts.set(ben, 'hello')
  expect(drafts.get(ben).getSnapshot()).toBe('hello')
  await drafts.close()
  expect(texts.length).toBe(0)
  expect((await open(database)).get(ben).getSnapshot()).toBe('hello')
})

test('what is typed in a row is one write into the database, with the last word', async () => {
  const { database } = await openTestDatabase()
  onTestFinished(async () => void (await database.close()))
  const { drafts: table } = database.device
  const written: string[] = []
  table.hook('creating', (_key, { text }) => void written.push(text))
  const drafts = await open(database)
  for (const text of ['h', 'he', 'hel', 'hell', 'hello']) drafts.set(ben, text)
  await expect.poll(() => written).toEqual(['hello'])
  await drafts.close()
})

test('a draft keeps what it answers, through more typing and a reload', async () => {
  const { database } = await openTestDatabase()
  onTestFinished(async () => void (await database.close()))
  const drafts = await open(database)
  drafts.setReply(ben, 'the question')
  drafts.set(ben, 'the answer')
  await drafts.close()
  const again = await open(database)
  expect(again.getReply(ben)).toBe('the question')
  expect(again.get(ben).getSnapshot()).toBe('the answer')
  again.setReply(ben, undefined)
  expect(again.get(ben).getSnapshot()).toBe('the answer')
  await again.close()
  expect((await open(database)).getReply(ben)).toBeUndefined()
})

test('P1: a draft survives a database that can no longer be written', async () => {
  const { database, open: openTab } = await openTestDatabase()
  const texts = createKeptTexts()
  const lost: unknown[] = []
  const drafts = await createDrafts({
    drafts: database.device.drafts,
    userId: ann,
    texts,
    now: () => 1,
    onError: (cause) => lost.push(cause),
  })
  await database.close()
  drafts.setReply(ben, 'the question')
  drafts.set(ben, 'typed into a dead database')
  await drafts.close()
  expect(lost).toHaveLength(1)
  const again = await openTab('second')
  onTestFinished(async () => void (await again.close()))
  const kept = await open(again, texts)
  expect(kept.get(ben).getSnapshot()).toBe('typed into a dead database')
  expect(kept.getReply(ben)).toBe('the question')
  await kept.close()
})

test('a draft is the same in every tab', async () => {
  const { database, open: openTab } = await openTestDatabase()
  const second = await openTab('second')
  onTestFinished(async () => {
    await second.close()
    await database.close()
  })
  const [here, there] = [await open(database), await open(second)]
  here.set(ben, 'hello')
  await untilLive(there.get(ben), (text) => text === 'hello')
  await Promise.all([here.close(), there.close()])
})
