import { afterEach, expect, test } from 'vitest'
import { openTestChannel } from '../../testing/open-test-channel.ts'
import { fetchNumberInformation } from '../client/number-information.ts'
import { blockContact, markAsRead } from '../customers/conversation-signals.ts'
import { fetchTemplates } from './template-list.ts'
import { createTemplates } from './templates.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

async function openTemplates() {
  const channel = await openTestChannel()
  open.push(channel)
  const { emulator } = channel
  const { businessAccountId } = emulator.account
  const called: string[] = []
  const client: typeof channel.client = {
    async call(request) {
      called.push(request.path)
      return await channel.client.call(request)
    },
  }
  const templates = createTemplates({ client, businessAccountId, now: emulator.now })
  return { ...channel, templates, businessAccountId, called }
}

const of = (name: string, code: string) => ({ name, language: { code } })

test('all templates are read, over all pages', async () => {
  const { client, businessAccountId } = await openTemplates()
  const read = await fetchTemplates(client, businessAccountId, { limit: 2 })
  if (read.kind !== 'found') throw new Error(JSON.stringify(read))
  expect(read.value.map(({ name, language }) => `${name} ${language}`)).toEqual([
    'hello_world en',
    'hello_world en_US',
    'order_confirmation en',
    'message_from_us en',
    'spring_sale en',
    'delivery_update en',
    'appointment_reminder en',
  ])
  expect(read.value[2]).toMatchObject({ category: 'UTILITY', status: 'APPROVED' })
})

test('a language is found: as it is, in another region, or left to WhatsApp', async () => {
  const { templates, emulator } = await openTemplates()
  const resolve = async (name: string, code: string) =>
    (await templates.resolveLanguage(of(name, code))).language.code
  expect(await resolve('hello_world', 'en_US')).toBe('en_US')
  expect(await resolve('order_confirmation', 'en_GB')).toBe('en')
  expect(await resolve('order_confirmation', 'en-GB')).toBe('en')
  expect(await resolve('order_confirmation', 'de')).toBe('de')
  emulator.templateStatus({ name: 'hello_world', language: 'en', event: 'PAUSED' })
  await templates.refresh()
  expect(await resolve('hello_world', 'en')).toBe('en_US')
})

test('they are kept for ten minutes, and go on being used when they cannot be read', async () => {
  const { templates, emulator } = await openTemplates()
  await templates.list()
  emulator.templateStatus({ name: 'hello_world', language: 'en', event: 'PAUSED' })
  const statusNow = async () => {
    const read = await templates.list()
    return read.kind === 'found' && read.value[0]?.status
  }
  expect(await statusNow()).toBe('APPROVED')
  templates.noteStatus({ name: 'hello_world', language: 'en', status: 'PAUSED' })
  expect(await statusNow()).toBe('PAUSED')
  await emulator.advance(11 * 60_000)
  emulator.rotateToken()
  expect(await statusNow()).toBe('PAUSED')
})

test('news of an unknown template rereads the list, and loses none of it if that fails', async () => {
  const { templates, emulator } = await openTemplates()
  await templates.list()
  templates.noteStatus({ name: 'new_one', language: 'en', status: 'APPROVED' })
  emulator.rotateToken()
  expect(await templates.list()).toMatchObject({ kind: 'found', value: { length: 7 } })
})

test('a list that cannot be reread is asked for once a minute, not with each message', async () => {
  const { templates, emulator, called } = await openTemplates()
  await templates.list()
  templates.forget()
  emulator.rotateToken()
  const before = called.length
  for (let times = 0; times < 3; times += 1) await templates.list()
  expect(called).toHaveLength(before + 1)
  await emulator.advance(60_000)
  await templates.list()
  expect(called).toHaveLength(before + 2)
})

test('without any list, the reason is told', async () => {
  const { templates, emulator } = await openTemplates()
  emulator.rotateToken()
  expect(await templates.list()).toMatchObject({ kind: 'refused', error: { code: 190 } })
})

test('a number is known by its digits, however it is written', async () => {
  const { client, emulator } = await openTemplates()
  const { numberId, numberDigits } = emulator.account
  expect(await fetchNumberInformation(client, numberId)).toEqual({
    kind: 'found',
    value: {
      id: numberId,
      digits: numberDigits,
      verifiedName: 'Lucky Shrub',
      qualityRating: 'GREEN',
      status: 'CONNECTED',
      isConnected: true,
    },
  })
  expect(await fetchNumberInformation(client, '1')).toMatchObject({ kind: 'refused' })
})

test('a read mark covers every earlier message too', async () => {
  const { client, emulator } = await openTemplates()
  const phoneNumberId = emulator.account.numberId
  emulator.inbound({ from: '15555550100', content: 'One' })
  const wamid = emulator.inbound({ from: '15555550100', content: 'Two' })
  expect(await markAsRead(client, { phoneNumberId, wamid, isTyping: true })).toBe(true)
  expect(emulator.received().map(({ isRead }) => isRead)).toEqual([true, true])
  expect(await markAsRead(client, { phoneNumberId, wamid: 'wamid.unknown' })).toBe(false)
})

test('somebody who is blocked is not heard until they are let in again', async () => {
  const { client, emulator, listen, values } = await openTemplates()
  await listen()
  const block = { phoneNumberId: emulator.account.numberId, phone: '15555550100' }
  expect(await blockContact(client, { ...block, isBlocked: true })).toBe(true)
  emulator.inbound({ from: '15555550100', content: 'Hello?' })
  await blockContact(client, { ...block, isBlocked: false })
  emulator.inbound({ from: '15555550100', content: 'Hello!' })
  await emulator.advance(0)
  expect(values()).toMatchObject([{ messages: [{ text: { body: 'Hello!' } }] }])
})
