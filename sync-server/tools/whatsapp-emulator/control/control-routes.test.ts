import { request } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { openTestEmulator } from '../../../testing/open-test-emulator.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

async function openEmulator(options = {}) {
  const opened = await openTestEmulator(options)
  open.push(opened)
  const control = (path: string, body?: unknown) =>
    opened.call(body === undefined ? 'GET' : 'POST', `/__emulator__${path}`, { body })
  return { ...opened, control }
}

test('everything can be done over HTTP: a person writes, time goes on, the answer is seen', async () => {
  const { control, send, webhookUrl, statuses } = await openEmulator()
  expect((await control('/config', { webhookUrl })).body.areWebhooksOn).toBe(true)
  const said = await control('/inbound', {
    from: '+1 555 555 0140',
    name: 'Ben',
    text: { body: 'Hello' },
  })
  expect(said.body.wamid).toMatch(/^wamid\./)
  await send({ to: '+15555550140', type: 'text', text: { body: 'Hi Ben' } })
  await control('/clock', { advanceMs: 1_000 })
  expect(statuses()).toEqual(['sent', 'delivered', 'read'])
  const outbox = await control('/outbox')
  expect(outbox.body[0]).toMatchObject({
    to: '+15555550140',
    request: { text: { body: 'Hi Ben' } },
  })
  const state = await control('/state')
  expect(state.body.received.map((one: { message: { type: string } }) => one.message.type)).toEqual(
    ['text', 'text'],
  )
  expect((await control('/webhooks')).body.length).toBeGreaterThan(4)
  expect((await control('/webhooks/1/redeliver', {})).status).toBe(200)
  expect((await control('/webhooks/999/redeliver', {})).status).toBe(404)
  await control('/reset', {})
  expect((await control('/outbox')).body).toEqual([])
})

test('a file comes as a sample, or as bytes with their true checksum', async () => {
  const { control, emulator, values, listen } = await openEmulator()
  await listen()
  await control('/inbound', { from: '15555550100', type: 'image', sample: 'image' })
  const base64 = Buffer.from('hello').toString('base64')
  await control('/inbound', {
    from: '15555550100',
    type: 'document',
    base64,
    mimeType: 'text/plain',
    document: { caption: 'A note', filename: 'a.txt' },
  })
  await emulator.advance(0)
  await expect.poll(() => values().length).toBe(2)
  const [, second] = values()
  expect(second.messages[0].document).toMatchObject({
    caption: 'A note',
    filename: 'a.txt',
    mime_type: 'text/plain',
    sha256: 'LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=',
  })
})

test.each([
  ['/config', { webhookVersion: 'v1' }],
  ['/config', { unknown: 1 }],
  ['/inbound', { from: 'Ann' }],
  ['/clock', {}],
  ['/rules', { match: {}, respond: { explode: true } }],
])('a wrong call of %s is told what is wrong', async (path, body) => {
  const { control } = await openEmulator()
  const answer = await control(path, body)
  expect(answer.status).toBe(400)
  expect(answer.body.error).toMatch(/✖/)
})

test('a page of somebody else, another name for this machine and a wrong key are shut out', async () => {
  const { emulator } = await openEmulator({ controlKey: 'secret' })
  const { port } = new URL(emulator.url)
  const ask = (headers: Record<string, string>) =>
    new Promise<number | undefined>((resolve, reject) => {
      const asked = request(
        { port, host: '127.0.0.1', path: '/__emulator__/state', headers },
        (response) => {
          response.resume()
          resolve(response.statusCode)
        },
      )
      asked.on('error', reject).end()
    })
  const key = { 'x-emulator-key': 'secret' }
  expect(await ask(key)).toBe(200)
  expect(await ask({})).toBe(403)
  expect(await ask({ ...key, origin: 'https://evil.example' })).toBe(403)
  expect(await ask({ ...key, host: 'evil.example' })).toBe(403)
})
