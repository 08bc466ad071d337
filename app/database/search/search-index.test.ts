import fc from 'fast-check'
import { v7 as createId } from 'uuid'
import { expect, onTestFinished, test } from 'vitest'
import { must } from '../../../schema/helpers/assertions.ts'
import { clearConversation } from '../commands/change-conversation.ts'
import {
  changeMessage,
  deleteMessage,
  editMessage,
  setStarred,
} from '../commands/change-message.ts'
import { sendMessage } from '../commands/send-message.ts'
import type { CommandContext } from '../storage/collections.ts'
import { readDexie } from '../storage/dexie/owed-notes.ts'
import { readSetBack } from '../storage/dexie/record-set-back.ts'
import type { PetrelDatabase } from '../storage/open-database.ts'
import { readDocuments } from '../storage/read-documents.ts'
import {
  fromStoredMessage,
  type StoredMessage,
  toStoredMessage,
} from '../storage/stored-message.ts'
import { ann, ben } from '../testing/open-test-database.ts'
import { listSearchable, openTestSearch, receiveMessages } from '../testing/open-test-search.ts'
import { createMessageSource } from './database-message-source.ts'
import { listTerms } from './index-terms.ts'
import { segmentSize } from './posting-lines.ts'
import type { SearchIndex } from './search-index.ts'

const someone = '01900000-0000-7000-8000-00000000000c'

async function start() {
  const opened = await openTestSearch()
  const index = await opened.openIndex()
  onTestFinished(async () => {
    await index.close()
    await opened.database.close()
  })
  const say = (content: string, peerId = ben) => sendMessage(opened.context, { peerId, content })
  const find = async (text: string, peerId?: string) => {
    await index.catchUp()
    return findIds(index, text, peerId)
  }
  return { ...opened, index, say, find }
}

async function findIds(index: SearchIndex<{ _id: string }>, text: string, peerId?: string) {
  const { messages } = await index.search({ text, limit: 1_000, ...(peerId && { peerId }) })
  return messages.map(({ _id }) => _id)
}

/** `count` numbered messages, stored together, oldest first. */
function makeMessages(count: number, from = 0, peerId = ben) {
  return Array.from({ length: count }, (_, index) => ({
    _id: createId(),
    peerId,
    orderedAt: 1_000 + from + index,
    content: `all ${(from + index) % 2 === 0 ? 'even' : 'odd'} n${from + index}`,
  }))
}

test('messages are found by the beginnings of all words, newest first', async () => {
  const { say, find } = await start()
  const first = await say('Dinner tomorrow at eight?')
  await say('Tomorrow is fine')
  const last = await say('DÎNER: tomato soup, dinner rolls')
  expect(await find('din tom')).toEqual([last, first])
})

test('what is found is the message itself, and the page says whether the index is whole', async () => {
  const { say, index } = await start()
  const _id = await say('hello')
  await index.catchUp()
  const page = await index.search({ text: 'hel', limit: 10 })
  expect(page).toMatchObject({ messages: [{ _id, content: 'hello' }], isComplete: true })
  expect(index.progress.getSnapshot()).toMatchObject({ state: 'ready' })
})

test('whoever searches is told when what is new has become searchable, and only then', async () => {
  const { say, index } = await start()
  await say('the boat is ready')
  await index.catchUp()
  const found: string[][] = []
  onTestFinished(
    index.progress.subscribe(() => {
      void findIds(index, 'boat').then((ids) => found.push(ids))
    }),
  )
  await index.catchUp()
  expect(found).toEqual([])
  const later = await say('the other boat')
  await index.catchUp()
  await expect.poll(() => found.at(-1)?.[0]).toBe(later)
})

test('within one conversation only its messages are found', async () => {
  const { say, find } = await start()
  const here = await say('the key is under the mat')
  await say('the key is lost', someone)
  expect(await find('key', ben)).toEqual([here])
})

test('an edited message is found by its new words only', async () => {
  const { say, find, context } = await start()
  const messageId = await say('meet at the harbour')
  expect(await find('harbour')).toEqual([messageId])
  await editMessage(context, { messageId, content: 'meet at the station' })
  expect(await find('harbour')).toEqual([])
  expect(await find('station meet')).toEqual([messageId])
})

test('P8: words that were deleted, edited away or cleared are nowhere in the index', async () => {
  const { say, find, context, readWholeIndex } = await start()
  await say('quagmire', someone)
  const edited = await say('ziggurat')
  const deleted = await say('xylophone')
  expect(await find('xylophone')).toEqual([deleted])
  for (const word of ['quagmire', 'ziggurat', 'xylophone']) {
    expect(await readWholeIndex()).toContain(word)
  }

  await editMessage(context, { messageId: edited, content: 'harmless' })
  await deleteMessage(context, deleted)
  await clearConversation(context, someone)
  expect(await find('harmless')).toEqual([edited])
  expect(await readWholeIndex()).not.toMatch(/quagmire|ziggurat|xylophone/)
})

test('a cleared conversation is found from its next message on', async () => {
  const { say, find, context } = await start()
  await say('old news')
  const elsewhere = await say('news from elsewhere', someone)
  await clearConversation(context, ben)
  const next = await say('fresh news')
  expect(await find('news')).toEqual([next, elsewhere])
})

test('a message that is cleared before it arrives never enters the index', async () => {
  const { say, find, context, database, readWholeIndex } = await start()
  await say('the first')
  await say('the last')
  await clearConversation(context, ben)
  await receiveMessages(database, [{ _id: createId(), peerId: ben, orderedAt: 1, content: 'late' }])
  expect(await find('late')).toEqual([])
  expect(await readWholeIndex()).not.toContain('late')
})

test('a message keeps its place in the order when the server gives it another', async () => {
  const { say, find, database } = await start()
  const [waiting, other] = [await say('same words'), await say('same words', someone)]
  expect(await find('same')).toEqual([waiting, other].sort().reverse())
  await changeMessage(database.messages, waiting, (message) => ({
    ...message,
    status: 'sent',
    orderedAt: message.orderedAt + 500,
  }))
  expect(await find('same')).toEqual([waiting, other])
})

test('ticks and stars write nothing into the index', async () => {
  const { say, find, context, readWholeIndex } = await start()
  const messageId = await say('hello')
  expect(await find('hello')).toEqual([messageId])
  const withoutState = (index: string) => index.replace(/^.*?"swept"/, '')
  const before = withoutState(await readWholeIndex())
  await setStarred(context, { messageId, isStarred: true })
  expect(await find('hello')).toEqual([messageId])
  expect(withoutState(await readWholeIndex())).toBe(before)
})

test('pages follow each other without a gap, from one segment to the next', async () => {
  const { database, index } = await start()
  const stored = makeMessages(segmentSize + 200)
  await receiveMessages(database, stored)
  await index.catchUp()
  const wanted = stored.filter(({ content }) => content.includes('odd')).map(({ _id }) => _id)
  const found: string[] = []
  let before: { _id: string; orderedAt: number } | undefined
  do {
    const page = await index.search({ text: 'all od', limit: 200, ...(before && { before }) })
    found.push(...page.messages.map(({ _id }) => _id))
    before = page.next
  } while (before)
  expect(found).toEqual(wanted.reverse())
  expect(await findIds(index, 'n1023')).toEqual([stored[1023]?._id])
})

test('older messages that arrive later stand behind the newer ones', async () => {
  const { database, index } = await start()
  const [older, newer] = [makeMessages(600), makeMessages(600, 600)]
  await receiveMessages(database, newer)
  await index.catchUp()
  await receiveMessages(database, older)
  await index.catchUp()
  const wanted = [...older, ...newer].reverse().map(({ _id }) => _id)
  const page = await index.search({ text: 'all', limit: 700 })
  expect(page.messages.map(({ _id }) => _id)).toEqual(wanted.slice(0, 700))
})

test('a build that was interrupted goes on where it stopped', async () => {
  const { database, openIndex } = await openTestSearch()
  onTestFinished(async () => void (await database.close()))
  await receiveMessages(database, makeMessages(1_200))
  let slices = 0
  const stopped = createGate()
  const goOn = createGate()
  const first = await openIndex({
    async yieldToScreen() {
      slices += 1
      if (slices < 3) return
      stopped.open()
      await goOn.isOpen
    },
  })
  await stopped.isOpen
  expect((await first.search({ text: 'all', limit: 10 })).isComplete).toBe(false)
  expect(first.progress.getSnapshot()).toMatchObject({ state: 'building' })
  const closed = first.close()
  goOn.open()
  await closed

  const begins: unknown[] = []
  const source = createMessageSource(database)
  const second = await openIndex({
    messages: {
      ...source,
      readChanges(after, limit) {
        begins.push(after)
        return source.readChanges(after, limit)
      },
    },
  })
  onTestFinished(() => second.close())
  await second.catchUp()
  expect(begins[0]).toMatchObject({ lwt: expect.any(Number) })
  expect(await findIds(second, 'all')).toHaveLength(1_000)
  expect(await findIds(second, 'n3')).toHaveLength(111)
})

test('an index that is behind finds no message that no longer says it', async () => {
  const { database, context, openIndex } = await openTestSearch()
  onTestFinished(async () => void (await database.close()))
  const messageId = await sendMessage(context, { peerId: ben, content: 'a secret' })
  const source = createMessageSource(database)
  // This index never learns of the deletion.
  const index = await openIndex({ messages: { ...source, subscribe: () => () => {} } })
  onTestFinished(() => index.close())
  await index.catchUp()
  expect(await findIds(index, 'secret')).toEqual([messageId])
  await deleteMessage(context, messageId)
  expect(await findIds(index, 'secret')).toEqual([])
})

test('two tabs keep one index', async () => {
  const { database, open, index, openIndex, scan, readTerms, context } = await start()
  const secondTab = await open('second')
  const second = await openIndex({}, secondTab)
  onTestFinished(async () => {
    await second.close()
    await secondTab.close()
  })
  await receiveMessages(database, makeMessages(700))
  await receiveMessages(secondTab, makeMessages(700, 700, someone))
  await sendMessage(context, { peerId: ben, content: 'all done' })
  await Promise.all([index.catchUp(), second.catchUp()])
  await Promise.all([index.catchUp(), second.catchUp()])
  for (const tab of [index, second]) {
    expect(await findIds(tab, 'n1')).toEqual(await scan('n1'))
    expect(await findIds(tab, 'done')).toHaveLength(1)
  }
  expect(await readTerms()).toEqual(await listTermsOf(database))
})

test('a write that is stored after a later one was read is not skipped', async () => {
  const { say, find, database } = await start()
  const like = await readMessage(database, await say('on time'))
  await find('time')
  const late = await storeAt(database, { like, content: 'running late', lwt: 1_000.01 })
  expect(await find('late')).toEqual([late])
})

test('what is stored while no index is open is found at the next start, whatever the clock said', async () => {
  const { database, context, openIndex } = await openTestSearch()
  const messageId = await sendMessage(context, { peerId: ben, content: 'on time' })
  const like = await readMessage(database, messageId)
  const findAtStart = async (text: string) => {
    const index = await openIndex()
    await index.catchUp()
    const found = await findIds(index, text)
    await index.close()
    return found
  }
  expect(await findAtStart('time')).toEqual([messageId])
  const hourAgo = like._meta.lwt - 3_600_000
  const first = await storeAt(database, { like, content: 'an hour back', lwt: hourAgo })
  expect(await findAtStart('back')).toEqual([first])
  const dexie = await readDexie(database.messages.storageInstance)
  expect(await readSetBack(dexie)).toBeUndefined()
  const [second, third] = [
    await storeAt(database, { like, content: 'back again', lwt: hourAgo + 2 }),
    await storeAt(database, { like, content: 'further back', lwt: hourAgo + 1 }),
  ]
  expect(await readSetBack(dexie)).toMatchObject({ lwt: hourAgo + 1, count: 2 })
  expect((await findAtStart('back')).sort()).toEqual([first, second, third].sort())
})

test('a clock that is set back while its note is being read leaves a note', async () => {
  const { database, context } = await openTestSearch()
  const messageId = await sendMessage(context, { peerId: ben, content: 'on time' })
  const like = await readMessage(database, messageId)
  const lwt = like._meta.lwt - 3_600_000
  await storeAt(database, { like, content: 'an hour back', lwt })
  const source = createMessageSource(database)
  await source.readChanges({ lwt: like._meta.lwt, id: messageId }, 10)
  await storeAt(database, { like, content: 'back again', lwt })
  await source.settle()
  expect(await readSetBack(await readDexie(database.messages.storageInstance))).toMatchObject({
    lwt,
  })
})

test('P10: an index that cannot be kept says so, and tries again at the next change', async () => {
  const { database, context, openIndex } = await openTestSearch()
  onTestFinished(async () => void (await database.close()))
  const source = createMessageSource(database)
  let isBroken = true
  const index = await openIndex({
    messages: {
      ...source,
      async readChanges(after, limit) {
        if (isBroken) throw new Error('The disk is away.')
        return source.readChanges(after, limit)
      },
    },
  })
  onTestFinished(() => index.close())
  await expect(index.catchUp()).rejects.toThrow('could not follow')
  expect(index.progress.getSnapshot()).toMatchObject({ state: 'failed' })
  isBroken = false
  const messageId = await sendMessage(context, { peerId: ben, content: 'hello' })
  await index.catchUp()
  expect(await findIds(index, 'hello')).toEqual([messageId])
  expect(index.progress.getSnapshot()).toMatchObject({ state: 'ready' })
})

test('a destroyed index leaves nothing on the device', async () => {
  const { say, index, indexedDB, device } = await start()
  await say('hello')
  await index.catchUp()
  const names = async () => (await indexedDB.databases()).map(({ name }) => name)
  expect(await names()).toContain(`petrel-${device}-search`)
  await index.destroy()
  expect(await names()).not.toContain(`petrel-${device}-search`)
})

/** Stores a message like another one, written at this time: epoch ms of the device's clock then. */
async function storeAt(
  database: PetrelDatabase,
  { like, content, lwt }: { like: StoredMessage; content: string; lwt: number },
): Promise<string> {
  const stored = toStoredMessage({ ...fromStoredMessage(like), _id: createId(), content }, ann)
  const document = { ...stored, _meta: { lwt }, _deleted: false, _attachments: {}, _rev: '1-test' }
  await database.messages.storageInstance.originalStorageInstance.bulkWrite([{ document }], 'test')
  return stored._id
}

async function readMessage(database: PetrelDatabase, id: string) {
  return must((await readDocuments(database.messages, [id])).get(id), 'message')
}

function createGate() {
  let open = () => {}
  const isOpen = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, isOpen }
}

async function listTermsOf(database: PetrelDatabase): Promise<string[]> {
  const messages = await listSearchable(database)
  return [...new Set(messages.flatMap(({ content }) => [...listTerms(content)]))].sort()
}

const word = fc.constantFrom(
  ...[
    'a',
    'ab',
    'abc',
    'Äb',
    'b',
    'ba',
    'straße',
    'STRASSE',
    '1',
    '12',
    'café',
    'cafe\u0301',
    'x-ab',
  ],
  ...[
    'y'.repeat(39),
    'y'.repeat(45),
    `${'y'.repeat(45)}z`,
    'b2 b3 b4 b5 b6 b7 b8 b9 c1 c2 c3 c4 c5',
  ],
  ...['北京', '京北', '北', 'สวัสดี', 'วัส', 'カラ', '👍🏽', '👨‍👩‍👧', '한국', 'ﬁn', 'ИЙ', 'it’s'],
)
const someText = fc
  .array(fc.oneof({ weight: 5, arbitrary: word }, fc.string({ unit: 'grapheme', maxLength: 4 })), {
    minLength: 1,
    maxLength: 4,
  })
  .map((words) => words.join(' '))
  .filter((text) => text.trim() !== '')
const peer = fc.constantFrom(ben, someone)
const pick = fc.nat()
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('say' as const), text: someText, peer }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('edit' as const), text: someText, pick }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('delete' as const), pick }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('clear' as const), peer }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('accept' as const), pick }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reopen' as const) }) },
)
type Step = (typeof step extends fc.Arbitrary<infer S> ? S : never) & { do: string }

async function takeStep(
  context: CommandContext,
  ids: string[],
  one: Exclude<Step, { do: 'reopen' }>,
): Promise<void> {
  if (one.do === 'say') {
    ids.push(await sendMessage(context, { peerId: one.peer, content: one.text }))
    return
  }
  if (one.do === 'clear') return clearConversation(context, one.peer)
  const messageId = ids[one.pick % Math.max(1, ids.length)]
  if (!messageId) return
  if (one.do === 'edit') return editMessage(context, { messageId, content: one.text })
  if (one.do === 'delete') return deleteMessage(context, messageId)
  await changeMessage(context.database.messages, messageId, (message) => ({
    ...message,
    status: 'sent',
    orderedAt: message.orderedAt + 3,
  }))
}

test('whatever is said, edited, deleted and cleared, a search finds what a scan of all messages finds', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 25 }),
      fc.array(someText, { minLength: 1, maxLength: 6 }),
      async (steps, queries) => {
        const { database, context, openIndex, scan, readTerms } = await openTestSearch()
        let index = await openIndex()
        try {
          const ids: string[] = []
          for (const one of steps) {
            if (one.do === 'reopen') {
              await index.close()
              index = await openIndex()
            } else await takeStep(context, ids, one)
          }
          await index.catchUp()
          for (const query of queries) {
            expect(await findIds(index, query)).toEqual(await scan(query))
            expect(await findIds(index, query, ben)).toEqual(await scan(query, ben))
          }
          expect(await readTerms()).toEqual(await listTermsOf(database))
        } finally {
          await index.close()
          await database.close()
        }
      },
    ),
    { numRuns: 40 },
  )
}, 120_000)
