import { expect, onTestFinished, test } from 'vitest'
import { untilLive } from '../../lab/device/read-conversation.ts'
import { createLabLocks, type Locks } from '../../lab/kit/locks.ts'
import { createKeyValueStorage } from '../storage/key-value-storage.ts'
import type { PetrelDatabase } from '../storage/open-database.ts'
import type { StoredDraft } from '../storage/open-device-store.ts'
import { ann, ben, openTestDatabase } from '../testing/open-test-database.ts'
import { createDrafts } from './drafts.ts'
import { claimTabSlot } from './tab-slot.ts'

interface Opening {
  texts?: ReturnType<typeof createKeyValueStorage>
  locks?: ReturnType<typeof createLabLocks>
  stored?: string[]
  left?: readonly StoredDraft[]
  onError?: (cause: unknown) => void
}

async function open(database: PetrelDatabase, options: Opening = {}) {
  const {
    texts = createKeyValueStorage(),
    locks,
    stored = [],
    left = [],
    onError = raise,
  } = options
  const slot = await claimTabSlot({ locks, name: 'tab' })
  const drafts = await createDrafts({
    drafts: database.device.drafts,
    userId: ann,
    slot,
    findStored: async () => new Set(stored),
    readLeft: async () => left,
    texts,
    onError,
    now: () => 1,
  })
  const close = () => drafts.close().then(slot.release)
  return { ...drafts, close }
}

/** A device with two tabs. */
async function openTwoTabs() {
  const { database, open: openTab } = await openTestDatabase()
  const second = await openTab('second')
  onTestFinished(async () => {
    await second.close()
    await database.close()
  })
  const shared = { texts: createKeyValueStorage(), locks: createLabLocks() }
  return { database, second, shared }
}

function raise(cause: unknown) {
  throw cause
}

test('a draft is there after a reload, and leaves nothing in the texts once it is stored', async () => {
  const { database } = await openTestDatabase()
  onTestFinished(async () => void (await database.close()))
  const texts = createKeyValueStorage()
  const drafts = await open(database, { texts })
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
  expect(again.begin(ben).replyTo).toBe('the question')
  expect(again.get(ben).getSnapshot()).toBe('the answer')
  again.setReply(ben, undefined)
  expect(again.get(ben).getSnapshot()).toBe('the answer')
  await again.close()
  expect((await open(database)).begin(ben).replyTo).toBeUndefined()
})

test('P1: a draft survives a database that can no longer be written', async () => {
  const { database, open: openTab } = await openTestDatabase()
  const texts = createKeyValueStorage()
  const lost: unknown[] = []
  const drafts = await open(database, { texts, onError: (cause) => lost.push(cause) })
  await database.close()
  drafts.setReply(ben, 'the question')
  drafts.set(ben, 'typed into a dead database')
  await drafts.close()
  expect(lost).toHaveLength(1)
  const again = await openTab('second')
  onTestFinished(async () => void (await again.close()))
  const kept = await open(again, { texts })
  expect(kept.get(ben).getSnapshot()).toBe('typed into a dead database')
  expect(kept.begin(ben).replyTo).toBe('the question')
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

test('P1: a long draft in one tab survives a short message from another', async () => {
  const { database, second, shared } = await openTwoTabs()
  const here = await open(database, shared)
  const there = await open(second, shared)
  there.set(ben, 'a long thought that is not finished')
  await untilLive(here.get(ben), (text) => text.startsWith('a long'))
  here.set(ben, 'ok')
  const leaving = { peerId: ben, messageId: 'm', content: 'ok' }
  here.recordLeaving(leaving)
  here.recordSent(leaving)
  await there.close()
  const reloaded = await open(second, shared)
  expect(reloaded.begin(ben).text).toBe('a long thought that is not finished')
  await Promise.all([here.close(), reloaded.close()])
  const later = await open(database, shared)
  expect(later.begin(ben).text).toBe('a long thought that is not finished')
  await later.close()
})

test('P1: a draft survives that another tab, which showed it too, is emptied while its own reloads', async () => {
  const { database, second, shared } = await openTwoTabs()
  const waits: Promise<unknown>[] = []
  const request: Locks['request'] = (...asked: unknown[]) => {
    const held = shared.locks.request(...(asked as Parameters<Locks['request']>))
    waits.push(held.catch(() => {}))
    return held as never
  }
  const here = await open(database, { ...shared, locks: { request } })
  const there = await open(second, shared)
  there.set(ben, 'a long thought')
  await untilLive(here.get(ben), (text) => text !== '')
  const before = waits.length
  expect(here.begin(ben).text).toBe('a long thought')
  // It waits a moment for a tab that may be closing.
  await Promise.all(waits.slice(before))
  await there.close()
  here.set(ben, '')
  await here.close()
  const reloaded = await open(second, shared)
  expect(reloaded.begin(ben).text).toBe('a long thought')
  await reloaded.close()
})

test('a draft that goes on elsewhere while its own tab closes is one draft', async () => {
  const { database, second, shared } = await openTwoTabs()
  const here = await open(database, shared)
  const there = await open(second, shared)
  there.set(ben, 'half a thought')
  await untilLive(here.get(ben), (text) => text !== '')
  expect(here.begin(ben).text).toBe('half a thought')
  await there.close()
  here.set(ben, '')
  await here.close()
  const later = await open(database, shared)
  expect(later.begin(ben).text).toBe('')
  await later.close()
})

test('a draft that was begun in a tab that is gone goes on in another, and is one draft', async () => {
  const { database, second, shared } = await openTwoTabs()
  const here = await open(database, shared)
  const there = await open(second, shared)
  there.set(ben, 'half a thought')
  await there.close()
  await untilLive(here.get(ben), (text) => text !== '')
  expect(here.begin(ben).text).toBe('half a thought')
  here.set(ben, '')
  await here.close()
  const later = await open(database, shared)
  expect(later.begin(ben).text).toBe('')
  expect(later.count()).toBe(0)
  await later.close()
})

test('a tab that is gone is known to be, however late a busy page hears of it', async () => {
  const { database, second, shared } = await openTwoTabs()
  const there = await open(second, shared)
  const here = await open(database, { ...shared, locks: answerLate(shared.locks) })
  there.set(ben, 'half a thought')
  await there.close()
  await untilLive(here.get(ben), (text) => text !== '')
  here.begin(ben)
  here.set(ben, '')
  await here.close()
  const later = await open(database, shared)
  expect(later.begin(ben).text).toBe('')
  await later.close()
})

/** What waits for a lock gives up before the browser looks at it. */
function answerLate(locks: Locks): Locks {
  const request: Locks['request'] = async (...asked: unknown[]) => {
    const given = asked as Parameters<Locks['request']>
    const { signal } = given[1] as LockOptions
    if (signal && !signal.aborted) {
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
    }
    signal?.throwIfAborted()
    return (await locks.request(...given)) as never
  }
  return { request }
}

test('P1: a crash between naming the message and storing it leaves the draft, after it the message', async () => {
  const { database, shared } = await openTwoTabs()
  const { drafts: table } = database.device
  const drafts = await open(database, shared)
  drafts.set(ben, ' hello ')
  drafts.recordLeaving({ peerId: ben, messageId: 'm', content: 'hello' })
  drafts.set(ben, ' hello and')
  await expect.poll(async () => (await table.get(ben))?.text).toBe(' hello and')
  // The tab dies abruptly: it closes nothing and writes nothing more.
  const neither = await open(database, { texts: createKeyValueStorage() })
  expect(neither.begin(ben).text).toBe(' hello and')
  const stored = await open(database, { texts: createKeyValueStorage(), stored: ['m'] })
  expect(stored.begin(ben).text).toBe(' and')
  expect(stored.get(ben).getSnapshot()).toBe(' and')
  await Promise.all([drafts.close(), neither.close(), stored.close()])
})

/** A reply is on its way, and not stored yet. */
async function leaveWithReply() {
  const { database, shared } = await openTwoTabs()
  const drafts = await open(database, shared)
  drafts.set(ben, 'hello')
  drafts.setReply(ben, 'first')
  const leaving = { peerId: ben, messageId: 'm', content: 'hello' }
  drafts.recordLeaving(leaving)
  return { database, drafts, leaving }
}

test('a reply that is chosen while the last message is stored is the next draft’s', async () => {
  const { database, drafts, leaving } = await leaveWithReply()
  drafts.setReply(ben, 'second')
  drafts.recordSent(leaving)
  await drafts.close()
  const reloaded = await open(database, { texts: createKeyValueStorage(), stored: ['m'] })
  expect(reloaded.begin(ben)).toMatchObject({ text: '', replyTo: 'second' })
  await reloaded.close()
})

test('a reply goes with the message that it was written for', async () => {
  const { drafts, leaving } = await leaveWithReply()
  drafts.recordSent(leaving)
  expect(drafts.begin(ben)).toMatchObject({ text: '', replyTo: undefined })
  await drafts.close()
})

test('P1: what is left of a draft is stored with its message, and outranks whatever the browser had not written', async () => {
  const { database, shared } = await openTwoTabs()
  const { drafts: table } = database.device
  const drafts = await open(database, shared)
  drafts.set(ben, 'hel')
  await expect.poll(async () => (await table.get(ben))?.text).toBe('hel')
  const before = await table.get(ben)
  drafts.set(ben, 'hello and')
  const note = drafts.recordLeaving({ peerId: ben, messageId: 'm', content: 'hello' })
  await drafts.close()
  // A browser writes to disk seconds later, so a crash may leave the earlier content.
  await table.put(before ?? { _id: ben, text: '', at: 0 })
  const neither = await open(database)
  expect(neither.begin(ben).text).toBe('hel')
  await neither.close()
  const sent = await open(database, { left: note?.drafts ?? [], stored: ['m'] })
  expect(sent.begin(ben).text).toBe(' and')
  await sent.close()
  expect((await table.get(ben))?.text).toBe(' and')
})

test('P1: words that went on from a draft of another tab leave nothing of it with their message', async () => {
  const { database, second, shared } = await openTwoTabs()
  const here = await open(database, shared)
  const there = await open(second, shared)
  there.set(ben, 'hello')
  await untilLive(here.get(ben), (text) => text === 'hello')
  expect(here.begin(ben).text).toBe('hello')
  const note = here.recordLeaving({ peerId: ben, messageId: 'm', content: 'hello' })
  expect(note?.drafts).toMatchObject([
    { _id: ben, text: '' },
    { _id: `${ben}/1`, text: '' },
  ])
  await Promise.all([here.close(), there.close()])
})

test('P1: what localStorage brings back of another tab is never written over what is newer', async () => {
  const { database, shared } = await openTwoTabs()
  const { drafts: table } = database.device
  const newer = { _id: `${ben}/1`, text: 'a whole thought', at: 10 }
  await table.put(newer)
  shared.texts.setItem(`petrel-draft-${ann}-${ben}/1`, JSON.stringify({ text: 'a', at: 5 }))
  shared.texts.setItem(`petrel-draft-${ann}-${ben}/2`, JSON.stringify({ text: 'b', at: 5 }))
  const drafts = await open(database, shared)
  await drafts.close()
  expect(await table.get(`${ben}/1`)).toEqual(newer)
  expect(await table.get(`${ben}/2`)).toMatchObject({ text: 'b' })
})

test('what localStorage brings back of a message that was sent is no draft', async () => {
  const { database, shared } = await openTwoTabs()
  const drafts = await open(database, shared)
  drafts.set(ben, 'hello')
  const kept = [shared.texts.key(0) ?? '', shared.texts.getItem(shared.texts.key(0) ?? '') ?? '']
  const leaving = { peerId: ben, messageId: 'm', content: 'hello' }
  drafts.recordLeaving(leaving)
  drafts.recordSent(leaving)
  await drafts.close()
  shared.texts.setItem(kept[0] ?? '', kept[1] ?? '')
  const again = await open(database, shared)
  expect(again.begin(ben).text).toBe('')
  await again.close()
})

test('a change of a message is kept with the draft, and both come back', async () => {
  const { database, shared } = await openTwoTabs()
  const drafts = await open(database, shared)
  drafts.set(ben, 'new words')
  drafts.setEdit(ben, { messageId: 'm', text: 'better words' })
  await drafts.close()
  const again = await open(database, shared)
  expect(again.begin(ben)).toMatchObject({
    text: 'new words',
    edit: { messageId: 'm', text: 'better words' },
  })
  again.setEdit(ben, undefined)
  expect(again.begin(ben)).toMatchObject({ text: 'new words', edit: undefined })
  await again.close()
})

test('P1: a draft of several MB is kept where localStorage has no room for it', async () => {
  const { database } = await openTwoTabs()
  const texts = createKeyValueStorage()
  const full = {
    ...texts,
    setItem() {
      throw new DOMException('It is full.', 'QuotaExceededError')
    },
  }
  const long = 'x'.repeat(6_000_000)
  const drafts = await open(database, { texts: full })
  drafts.set(ben, 'short')
  drafts.set(ben, long)
  expect(drafts.get(ben).getSnapshot()).toBe(long)
  await drafts.close()
  expect(drafts.problem.getSnapshot()).toBeUndefined()
  const again = await open(database)
  expect(again.begin(ben).text).toBe(long)
  await again.close()
})

test('P6: a draft that can be kept nowhere says so, until it can be', async () => {
  const { database } = await openTwoTabs()
  const { drafts: table } = database.device
  const lost: unknown[] = []
  const drafts = await open(database, { onError: (cause) => lost.push(cause) })
  const state = { isFull: true }
  table.hook('creating', () => {
    if (state.isFull) throw new DOMException('The disk is full.', 'QuotaExceededError')
  })
  drafts.set(ben, 'x'.repeat(200_000))
  await untilLive(drafts.problem, (words) => words !== undefined)
  expect(drafts.problem.getSnapshot()).toContain("couldn't save your draft")
  state.isFull = false
  drafts.set(ben, 'shorter')
  await untilLive(drafts.problem, (words) => words === undefined)
  await drafts.close()
  expect(lost).toHaveLength(1)
})
