import { expect, test } from 'vitest'
import { sendMessage } from '../commands/send-message.ts'
import { ann, ben, openTestDatabase } from '../testing/open-test-database.ts'
import { testMessage } from '../testing/test-message.ts'
import { findLastInboundAt } from './find-newest-message.ts'
import { readDocuments } from './read-documents.ts'
import { toStoredMessage } from './stored-message.ts'

const noon = Date.UTC(2026, 10, 22, 12)

async function start() {
  const { context, database } = await openTestDatabase()
  const receive = (place: number, at?: number, more: { isSystem?: boolean } = {}) =>
    database.messages.insert(
      toStoredMessage(
        testMessage(place, {
          ...more,
          ...(at && { isWhatsApp: true, whatsapp_timestamp: new Date(at).toISOString() }),
        }),
        ann,
      ),
    )
  return { context, database, receive, find: () => findLastInboundAt(database.messages, ben) }
}

test('the 24 hours begin with the latest time of the provider, whatever came in last', async () => {
  const { context, receive, find } = await start()
  expect(await find()).toBeUndefined()
  await receive(1, noon)
  await receive(2, noon - 60_000)
  expect(await find()).toBe(noon)
  await sendMessage(context, { peerId: ben, content: 'an answer opens nothing' })
  expect(await find()).toBe(noon)
})

test('a notice of the channel about them opens nothing', async () => {
  const { receive, find } = await start()
  await receive(1, noon, { isSystem: true })
  expect(await find()).toBeUndefined()
})

test('what did not come over the channel opens nothing', async () => {
  const { receive, find } = await start()
  await receive(1)
  expect(await find()).toBeUndefined()
})

test('P1: a template is in the database with all that it needs to leave later', async () => {
  const { context, database } = await start()
  const template = { name: 'hello_world', data: { language: 'en', components: [] } }
  const business = { type: 'template' as const, template }
  const id = await sendMessage(context, { peerId: ben, content: 'Hello World!', business })
  const stored = (await readDocuments(database.messages, [id])).get(id)
  expect(stored).toMatchObject({ content: 'Hello World!', status: 'sending', ...business })
})
