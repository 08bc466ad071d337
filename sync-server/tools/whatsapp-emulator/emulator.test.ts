import { afterEach, describe, expect, test } from 'vitest'
import { openTestEmulator } from '../../testing/open-test-emulator.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

async function openEmulator() {
  const opened = await openTestEmulator()
  open.push(opened)
  return opened
}

const ann = '15555550100'
const hello = { to: `+${ann}`, type: 'text', text: { body: 'Hello' } }

describe('a send', () => {
  test.each([
    ['a key that is not known', { ...hello, text: { body: 'a', color: 'red' } }, 100],
    ['a null', { ...hello, text: { body: 'a', preview_url: null } }, 100],
    ['no recipient', { type: 'text', text: { body: 'a' } }, 100],
    ['no content', { to: `+${ann}`, type: 'text' }, 131008],
    ['a text that is too long', { ...hello, text: { body: 'a'.repeat(4_097) } }, 131009],
    ['a number that is too short', { ...hello, to: '+12345' }, 131009],
    ['a number that is too long', { ...hello, to: '+1234567890123456' }, 131009],
    ['a caption on audio', { to: `+${ann}`, type: 'audio', audio: { id: '1', caption: 'a' } }, 100],
    ['a file that is not there', { to: `+${ann}`, type: 'image', image: { id: '1' } }, 131009],
    ['the business itself', { ...hello, to: '+15550783881' }, 131021],
    ['a template that is not there', templateOf('nothing'), 132001],
    ['a template without its values', templateOf('order_confirmation'), 132000],
    ['a paused template', templateOf('spring_sale'), 132015],
    ['a named template with other names', namedTemplate('wrong'), 132012],
  ])('with %s is refused as Meta does', async (_what, message, code) => {
    const { send, emulator } = await openEmulator()
    const { status, body, headers } = await send(message)
    expect([status >= 400, body.error.code]).toEqual([true, code])
    expect(headers.get('facebook-api-version')).toBe('v25.0')
    expect(emulator.outbox()).toEqual([])
  })

  test('is checked in the order in which Meta does it', async () => {
    const { call, emulator } = await openEmulator()
    const { numberId } = emulator.account
    const wrong = { body: { to: 1 } }
    const at = (path: string) => `/v25.0/${path}/messages`
    const codes = [
      (await call('POST', at('1'), { ...wrong, token: 'wrong' })).body.error.code,
      (await call('POST', at('1'), wrong)).body.error.error_subcode,
      (await call('POST', at(numberId), { text: '{' })).body.error.code,
    ]
    expect(codes).toEqual([190, 33, 100])
    await call('POST', `/v25.0/${numberId}/deregister`)
    const body = { messaging_product: 'whatsapp', ...hello }
    expect((await call('POST', at(numberId), { body })).body.error.code).toBe(133010)
  })

  test("without a plus goes to the business's own country, as it would", async () => {
    const { send, emulator } = await openEmulator()
    await send({ ...hello, to: '442071838750' })
    await send({ ...hello, to: '+44 (20) 7183-8750' })
    expect(emulator.outbox().map(({ to }) => to)).toEqual(['+1442071838750', '+442071838750'])
  })

  test.each([
    ['Brazil', '+5511987654321', '551187654321'],
    ['Mexico', '+525512345678', '5215512345678'],
    ['Argentina', '+541123456789', '5491123456789'],
  ])('to %s answers the number as WhatsApp knows it', async (_country, to, wa_id) => {
    const { send } = await openEmulator()
    expect((await send({ ...hello, to })).body.contacts).toEqual([{ input: to, wa_id }])
  })
})

describe('the window', () => {
  test('is closed until the person writes, and 24 hours later', async () => {
    const { emulator, send, listen, statuses } = await openEmulator()
    await listen()
    const sendAndSee = async () => {
      expect((await send(hello)).status).toBe(200)
      await emulator.advance(1_000)
      const last = emulator.outbox().at(-1)?.statuses ?? []
      return last.map(({ status, errorCode }) => errorCode ?? status)
    }
    expect(await sendAndSee()).toEqual([131047])
    emulator.inbound({ from: ann, content: 'Hi' })
    expect(await sendAndSee()).toEqual(['sent', 'delivered', 'read'])
    await emulator.advance(24 * 3_600_000)
    expect(await sendAndSee()).toEqual([131047])
    expect((await send(templateOf('hello_world'))).status).toBe(200)
    await emulator.advance(1_000)
    expect(statuses().slice(-3)).toEqual(['sent', 'delivered', 'read'])
  })

  test('is not opened by what the business writes from its phone, and refuses at once when told to', async () => {
    const { emulator, send } = await openEmulator()
    await emulator.configure({ windowMode: 'sync' })
    emulator.echo({ to: ann, type: 'text', content: { body: 'Hi' } })
    expect((await send(hello)).body.error.code).toBe(131047)
    emulator.setWindow({ wa_id: ann, state: 'open' })
    expect((await send(hello)).status).toBe(200)
  })

  test('is not shortened by an older message that comes late', async () => {
    const { emulator, send } = await openEmulator()
    await emulator.configure({ windowMode: 'sync' })
    emulator.inbound({ from: ann, content: 'New' })
    const dayAgo = emulator.now() / 1_000 - 23 * 3_600
    emulator.inbound({ from: ann, content: 'Old', timestamp: dayAgo })
    await emulator.advance(2 * 3_600_000)
    expect((await send(hello)).status).toBe(200)
  })
})

describe('limits', () => {
  test('let 45 at once to one person, then one in six seconds', async () => {
    const { emulator, send } = await openEmulator()
    const message = { ...hello, to: '+16505551234' }
    for (let count = 0; count < 45; count += 1) expect((await send(message)).status).toBe(200)
    expect((await send(message)).body.error.code).toBe(131056)
    expect((await send({ ...hello, to: '+16505551235' })).status).toBe(200)
    await emulator.advance(6_000)
    expect((await send(message)).status).toBe(200)
    expect((await send(message)).body.error.code).toBe(131056)
  })

  test('limit how many a number sends in a second', async () => {
    const { emulator, send } = await openEmulator()
    await emulator.configure({ limits: { perSecond: 2 } })
    const codes = []
    for (const nn of ['1', '2', '3']) {
      const { body } = await send({ ...hello, to: `+1650555123${nn}` })
      codes.push(body.error?.code ?? 200)
    }
    expect(codes).toEqual([200, 200, 130429])
  })

  test('count calls that manage, and say how many are left', async () => {
    const { emulator, call } = await openEmulator()
    await emulator.configure({ limits: { managementPerHour: 2 } })
    const path = `/v25.0/${emulator.account.numberId}`
    await call('GET', path)
    const second = await call('GET', path)
    expect(JSON.parse(second.headers.get('x-app-usage') ?? '').call_count).toBe(50)
    await call('GET', path)
    expect((await call('GET', path)).body.error.code).toBe(80007)
  })
})

describe('scripted people', () => {
  test.each([
    ['02', ['sent']],
    ['03', ['sent', 'read']],
    ['04', ['read', 'delivered', 'sent']],
    ['05', ['sent', 'sent', 'delivered', 'delivered', 'read', 'read']],
    ['06', ['sent', 'delivered', 'read']],
    ['09', ['sent', 'delivered', 'read', 'sent', 'delivered', 'read']],
    ['10', ['failed']],
    ['29', ['sent', 'failed', 'delivered']],
  ])('%s: %j', async (nn, expected) => {
    const { emulator, send, listen, statuses, faults } = await openEmulator()
    await listen()
    emulator.setWindow({ wa_id: `155555501${nn}`, state: 'open' })
    await send({ ...hello, to: `+155555501${nn}` })
    await emulator.advance(1_000)
    // Whatever is due at one moment is sent in parallel, as in reality.
    expect(statuses().toSorted()).toEqual(expected.toSorted())
    if (nn !== '05') expect(statuses()).toEqual(expected)
    expect(faults).toEqual([])
  })

  test('07: the first status is there before the answer', async () => {
    const { emulator, send, listen, statuses } = await openEmulator()
    await listen()
    emulator.setWindow({ wa_id: '15555550107', state: 'open' })
    await send({ ...hello, to: '+15555550107' })
    expect(statuses()).toEqual(['sent'])
  })

  test('35: a template that is held back goes on when it is released', async () => {
    const { emulator, send, listen, statuses } = await openEmulator()
    await listen()
    const { body } = await send({ ...templateOf('hello_world'), to: '+15555550135' })
    expect(body.messages[0].message_status).toBe('held_for_quality_assessment')
    await emulator.advance(60_000)
    expect(statuses()).toEqual([])
    emulator.release(body.messages[0].id)
    await emulator.advance(1_000)
    expect(statuses()).toEqual(['sent', 'delivered', 'read'])
  })

  test('the same seed and the same calls give the same ids', async () => {
    const ids = []
    for (let run = 0; run < 2; run += 1) {
      const { emulator, send } = await openEmulator()
      await send(hello)
      emulator.inbound({ from: ann, content: 'Hi' })
      ids.push([emulator.outbox()[0]?.wamid, emulator.received()[0]?.wamid])
    }
    expect(ids[0]).toEqual(ids[1])
    expect(new Set(ids[0]).size).toBe(2)
  })
})

test('a rule of a test meets the call that it is for, as often as it says', async () => {
  const { emulator, send, call } = await openEmulator()
  emulator.addRule({ match: { text: 'unlucky' }, times: 1, respond: { error: { code: 131000 } } })
  emulator.addRule({
    match: { endpoint: 'GET number' },
    times: 1,
    respond: { status: 500, error: { code: 2 } },
  })
  expect((await send(hello)).status).toBe(200)
  const unlucky = { ...hello, text: { body: 'unlucky' } }
  expect((await send(unlucky)).body.error.code).toBe(131000)
  expect((await send(unlucky)).status).toBe(200)
  const path = `/v25.0/${emulator.account.numberId}`
  expect((await call('GET', path)).status).toBe(500)
  expect((await call('GET', path)).status).toBe(200)
})

function templateOf(name: string) {
  return { to: `+${ann}`, type: 'template', template: { name, language: { code: 'en' } } }
}

function namedTemplate(parameter_name: string) {
  const parameters = ['customer_name', parameter_name].map((name) => ({
    type: 'text',
    text: 'a',
    parameter_name: name,
  }))
  const { template, ...message } = templateOf('delivery_update')
  return { ...message, template: { ...template, components: [{ type: 'body', parameters }] } }
}
