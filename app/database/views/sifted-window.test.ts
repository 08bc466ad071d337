import { v7 as createId } from 'uuid'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createDeferred } from '../../../schema/helpers/deferred.ts'
import type { MessageDocument } from '../../../schema/message.ts'
import { untilLive } from '../../lab/device/read-conversation.ts'
import { clearConversation, setConversationFlag } from '../commands/change-conversation.ts'
import { deleteMessage, editMessage } from '../commands/change-message.ts'
import { sendMessage } from '../commands/send-message.ts'
import { subscribeToChanges } from '../storage/collections.ts'
import { toStoredMessage } from '../storage/stored-message.ts'
import { ann, ben, openTestDatabase } from '../testing/open-test-database.ts'
import { testMessage } from '../testing/test-message.ts'
import { createSiftedWindow, type SiftOptions } from './sifted-window.ts'

/** A message at a place; every tenth is a picture. */
const message = (orderedAt: number, fields: Partial<MessageDocument> = {}) =>
  toStoredMessage(
    testMessage(orderedAt, {
      _id: createId(),
      type: orderedAt % 10 === 0 ? 'image' : 'text',
      ...fields,
    }),
    ann,
  )
const range = (from: number, to: number, step = 1) =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step)
const isPicture = ({ type }: MessageDocument) => type === 'image'

async function start(
  messages: ReturnType<typeof message>[],
  { isWanted = isPicture, enough = 5, ...rest }: Partial<SiftOptions> = {},
) {
  const opened = await openTestDatabase()
  const { database } = opened
  await database.messages.bulkInsert(messages)
  const onError = (cause: unknown) => {
    throw cause
  }
  const options = { isWanted, enough, ...rest }
  const view = createSiftedWindow({ database, peerId: ben, onError, ...options })
  onTestFinished(view.close)
  await untilLive(view.found, ({ isReading }) => !isReading)
  const places = () => view.found.getSnapshot().items.map(({ orderedAt }) => orderedAt)
  return { ...opened, view, places }
}

test('pictures are found page by page from the newest on, and no page is read that nobody asked for', async () => {
  const { view, places } = await start(range(1, 1_000).map((place) => message(place)))
  expect(places()).toEqual(range(810, 1_000, 10))
  expect(view.found.getSnapshot()).toMatchObject({ hasOlder: true, hasNewer: false })
  await view.loadOlder()
  expect(places()).toEqual(range(610, 1_000, 10))
  for (let page = 0; page < 4; page++) await view.loadOlder()
  expect(places()).toEqual(range(10, 1_000, 10))
  expect(view.found.getSnapshot()).toMatchObject({ hasOlder: false, isReading: false })
})

test('from one in the middle its neighbours on both sides are found, up to both ends', async () => {
  const messages = range(1, 1_000).map((place) => message(place))
  const { view, places } = await start(messages, { aroundId: messages[499]?._id ?? '' })
  expect(places()).toContain(490)
  expect(places()).toContain(510)
  expect(view.found.getSnapshot()).toMatchObject({ hasOlder: true, hasNewer: true })
  await Promise.all([view.loadOlder(), view.loadNewer()])
  await Promise.all([view.loadOlder(), view.loadNewer()])
  expect(places()).toEqual(range(10, 1_000, 10))
  expect(view.found.getSnapshot()).toMatchObject({ hasOlder: false, hasNewer: false })
})

test('few among many are found by looking through page after page', async () => {
  const isWanted = ({ orderedAt }: MessageDocument) => orderedAt === 7
  const { view, places } = await start(
    range(1, 900).map((place) => message(place)),
    { isWanted },
  )
  expect(places()).toEqual([7])
  expect(view.found.getSnapshot().hasOlder).toBe(false)
})

test('more messages at one place than a page holds are all looked through', async () => {
  const { view } = await start(range(1, 450).map(() => message(10)))
  while (view.found.getSnapshot().hasOlder) await view.loadOlder()
  expect(view.found.getSnapshot().items).toHaveLength(450)
})

test('what is deleted, cleared, sent or changed meanwhile goes and comes by itself', async () => {
  const hasLink = ({ content }: MessageDocument) => content.includes('https://')
  const { context, view } = await start([message(1, { content: 'https://a.io' }), message(2)], {
    isWanted: hasLink,
  })
  const words = () => view.found.getSnapshot().items.map(({ content }) => content)
  const untilWords = async (wanted: string[]) => {
    await untilLive(view.found, () => JSON.stringify(words()) === JSON.stringify(wanted))
  }
  const own = await sendMessage(context, { peerId: ben, content: 'see https://b.io' })
  await untilWords(['https://a.io', 'see https://b.io'])
  const plain = await sendMessage(context, { peerId: ben, content: 'nothing yet' })
  await editMessage(context, { messageId: plain, content: 'now https://c.io' })
  await untilWords(['https://a.io', 'see https://b.io', 'now https://c.io'])
  await deleteMessage(context, own)
  await untilWords(['https://a.io', 'now https://c.io'])
  await clearConversation(context, ben)
  await untilWords([])
})

test('writes during the first step do not make it report an empty result', async () => {
  const { database, context } = await openTestDatabase()
  const pictures = range(10, 50, 10).map((place) => message(place))
  await database.messages.bulkInsert(pictures)
  const { storageInstance } = database.conversations
  const read = storageInstance.findDocumentsById.bind(storageInstance)
  const isTold = createDeferred()
  onTestFinished(subscribeToChanges(database.conversations, () => isTold.resolve()))
  const reading = vi.spyOn(storageInstance, 'findDocumentsById')
  onTestFinished(() => reading.mockRestore())
  reading.mockImplementationOnce(async (...asked) => {
    await setConversationFlag(context, { peerId: ben, flag: 'isPinned', isSet: true })
    await isTold.promise
    return await read(...asked)
  })
  const onError = (cause: unknown) => {
    throw cause
  }
  const aroundId = pictures[2]?._id ?? ''
  const options = { database, peerId: ben, isWanted: isPicture, enough: 5, aroundId, onError }
  const view = createSiftedWindow(options)
  onTestFinished(view.close)
  const { items } = await untilLive(view.found, ({ isReading }) => !isReading)
  expect(items.map(({ orderedAt }) => orderedAt)).toEqual([10, 20, 30, 40, 50])
})

test('what is not on the device has no neighbours: it begins at the newest', async () => {
  const { view, places } = await start(
    range(1, 50).map((place) => message(place)),
    {
      aroundId: createId(),
    },
  )
  expect(places()).toEqual(range(10, 50, 10))
  expect(view.found.getSnapshot()).toMatchObject({ hasOlder: false, hasNewer: false })
})
