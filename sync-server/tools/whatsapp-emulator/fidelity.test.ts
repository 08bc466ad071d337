import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test } from 'vitest'
import * as z from 'zod/mini'
import { openTestEmulator } from '../../testing/open-test-emulator.ts'
import { parseWebhook } from '../../whatsapp/inbound/parse-webhook.ts'
import { type MetaShapeName, metaShapes } from './wire/meta-shapes.ts'

const folder = fileURLToPath(new URL('fixtures/', import.meta.url))
const fixtures = readdirSync(folder).map((name) => ({
  name,
  shape: name.split('.')[0] as MetaShapeName,
  content: JSON.parse(readFileSync(`${folder}${name}`, 'utf8')),
}))

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

async function openEmulator() {
  const opened = await openTestEmulator()
  open.push(opened)
  return opened
}

function check(shape: MetaShapeName, content: unknown) {
  const read = metaShapes[shape].safeParse(content)
  expect(read.success ? '' : `${z.prettifyError(read.error)}\n${JSON.stringify(content)}`).toBe('')
}

test.each(fixtures)(
  "Meta's documented $name has the shape that the emulator is held to",
  ({ shape, content }) => check(shape, content),
)

test.each(fixtures.filter(({ shape }) => shape === 'webhook'))(
  'the server reads $name',
  async ({ content }) => {
    const items = await parseWebhook(content)
    expect(items).toHaveLength(1)
    expect(items?.[0]?.kind).not.toBe('ignored')
  },
)

test('a shape that Meta does not have is found', () => {
  const text = fixtures.find(({ name }) => name === 'webhook.text.json')?.content
  const other = structuredClone(text)
  other.entry[0].changes[0].value.messages[0].sent_by = 'Ann'
  expect(metaShapes.webhook.safeParse(other).success).toBe(false)
})

test('what the emulator answers has the shapes that Meta documents', async () => {
  const { emulator, call, send } = await openEmulator()
  const { numberId, businessAccountId } = emulator.account
  emulator.inbound({ from: '15555550100', content: 'Hello' })
  emulator.inbound({ from: '15555550150', content: 'Hidden' })
  const [, hidden] = emulator.received()
  const template = { name: 'hello_world', language: { code: 'en' } }
  const taken = [
    await send({ to: '+15555550100', type: 'text', text: { body: 'Hi' } }),
    await send({ recipient: hidden?.customer.bsuid, type: 'text', text: { body: 'Hi' } }),
    await send({ to: '+15555550100', type: 'template', template }),
    await send({ to: '+15555550135', type: 'template', template }),
  ]
  for (const { status, body } of taken) {
    expect(status).toBe(200)
    check('send-answer', body)
  }
  const path = `/v25.0/${numberId}`
  const refused = [
    await call('POST', '/v25.0/1/messages', { body: {} }),
    await call('GET', path, { token: 'wrong' }),
    await call('GET', path, { token: null }),
    await send({ to: '+15555550134', type: 'text', text: { body: 'Hi' } }),
    await send({ to: '+15555550118', type: 'text', text: { body: 'Hi' } }),
    await send({ to: '+15555550100', type: 'text', text: { body: '' } }),
  ]
  for (const { status, body } of refused) {
    expect(status).toBeGreaterThanOrEqual(400)
    check('error-answer', body)
  }
  check('number-answer', (await call('GET', path)).body)
  const list = await call('GET', `/v25.0/${businessAccountId}/message_templates?limit=2`)
  check('template-list', list.body)
  const mark = { status: 'read', message_id: hidden?.wamid }
  check('success', (await send(mark)).body)
})

test('what the emulator sends has the shapes that Meta documents', async () => {
  const { emulator, heard, send, listen, faults } = await openEmulator()
  expect(await listen()).toBe(true)
  const everybody = [
    '00',
    '01',
    '03',
    '04',
    '05',
    '06',
    '07',
    '09',
    '10',
    '29',
    '40',
    '41',
    '42',
    '43',
    '44',
    '45',
    '46',
    '47',
    '48',
    '49',
    '50',
    '51',
    '52',
  ].map((nn) => `155555501${nn}`)
  const buttons = [{ type: 'reply', reply: { id: 'b0', title: 'Yes' } }]
  const interactive = { type: 'button', body: { text: 'Well?' }, action: { buttons } }
  for (const version of ['v23', 'v24'] as const) {
    await emulator.configure({ webhookVersion: version })
    for (const digits of everybody) {
      emulator.inbound({ from: digits, content: 'Hello 🌵 a/b' })
      const answer = await send({ to: `+${digits}`, type: 'interactive', interactive })
      expect(answer.status).toBe(200)
      await emulator.advance(1_000)
    }
  }
  emulator.echo({ to: '15555550100', type: 'text', content: { body: 'From my phone' } })
  emulator.templateStatus({ name: 'hello_world', language: 'en_US', event: 'PAUSED' })
  emulator.accountError({ code: 130429 })
  await emulator.advance(0)
  expect(heard.length).toBeGreaterThan(100)
  for (const { body } of heard) check('webhook', JSON.parse(body))
  expect(faults).toEqual([])
})
