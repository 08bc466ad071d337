import { createHmac } from 'node:crypto'
import { afterEach, expect, test } from 'vitest'
import { openTestEmulator } from '../../testing/open-test-emulator.ts'
import { checkSignature } from '../../whatsapp/webhooks/webhook-router.ts'

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

test('nothing is sent before the handshake, nor after one that failed', async () => {
  const { emulator, heard, webhookUrl } = await openEmulator()
  emulator.inbound({ from: ann, content: 'Hi' })
  expect(await emulator.configure({ webhookUrl, verifyToken: 'another' })).toBe(false)
  emulator.inbound({ from: ann, content: 'Hi' })
  await emulator.advance(0)
  expect(heard).toEqual([])
  expect(emulator.deliveries().map(({ state }) => state)).toEqual(['off', 'off'])
})

test('the bytes are ASCII with escaped slashes, and signed as they are', async () => {
  const { emulator, heard, listen } = await openEmulator()
  await listen()
  emulator.inbound({ from: ann, content: '🌵 a/b ü' })
  await emulator.advance(0)
  const { body = '', headers } = heard[0] ?? {}
  expect(body).toContain('\\ud83c\\udf35 a\\/b \\u00fc')
  const header = headers?.['x-hub-signature-256']
  const rawBody = new TextEncoder().encode(body)
  const { appSecret } = emulator.account
  expect(checkSignature({ rawBody, header, appSecret })).toBe('right')
  const rewritten = JSON.stringify(JSON.parse(body))
  const ofRewritten = createHmac('sha256', appSecret).update(rewritten).digest('hex')
  expect(header).not.toBe(`sha256=${ofRewritten}`)
})

test.each([
  ['wrong', 'wrong'],
  ['altered', 'wrong'],
  ['missing', 'missing'],
  ['sha1', 'missing'],
] as const)('a signature can be %s', async (signature, expected) => {
  const { emulator, heard, listen } = await openEmulator()
  await listen()
  await emulator.configure({ signature })
  emulator.inbound({ from: ann, content: 'Hi' })
  await emulator.advance(0)
  const { body = '', headers } = heard[0] ?? {}
  const rawBody = new TextEncoder().encode(body)
  const header = headers?.['x-hub-signature-256']
  expect(checkSignature({ rawBody, header, appSecret: emulator.account.appSecret })).toBe(expected)
  expect(() => JSON.parse(body)).not.toThrow()
})

test('whatever is not answered 200 comes again: at once, then later and later, for seven days', async () => {
  const { emulator, heard, answers, listen } = await openEmulator()
  await listen()
  answers.push(500, 204, 503)
  emulator.inbound({ from: ann, content: 'Hi' })
  await emulator.advance(999)
  expect(heard).toHaveLength(2)
  await emulator.advance(1)
  expect(heard).toHaveLength(3)
  await emulator.advance(5_000)
  expect(heard).toHaveLength(4)
  expect(new Set(heard.map(({ body }) => body)).size).toBe(1)
  const [delivery] = emulator.deliveries()
  expect(delivery?.state).toBe('delivered')
  expect(delivery?.attempts.map(({ status }) => status)).toEqual([500, 204, 503, 200])

  answers.push(...Array.from({ length: 100 }, () => 500))
  emulator.inbound({ from: ann, content: 'Never' })
  await emulator.advance(8 * 86_400_000)
  expect(emulator.deliveries()[1]?.state).toBe('given up')
})

test('a delivery can be sent again, byte for byte', async () => {
  const { emulator, heard, listen } = await openEmulator()
  await listen()
  emulator.inbound({ from: ann, content: 'Hi' })
  await emulator.advance(0)
  emulator.redeliver(1)
  await emulator.advance(0)
  expect(heard.map(({ body }) => body)).toEqual([heard[0]?.body, heard[0]?.body])
})

test('with a jitter, webhooks overtake each other, the same way for the same seed', async () => {
  const runs: string[][] = []
  for (let run = 0; run < 2; run += 1) {
    const { emulator, values, listen } = await openEmulator()
    await listen()
    await emulator.configure({ jitterMs: 10_000 })
    for (let count = 0; count < 8; count += 1) emulator.inbound({ from: ann, content: `${count}` })
    await emulator.advance(10_000)
    runs.push(
      values().map(
        (value: { messages: { text: { body: string } }[] }) => value.messages[0]?.text.body ?? '',
      ),
    )
  }
  expect(runs[0]).not.toEqual(runs[0]?.toSorted())
  expect(runs[0]).toEqual(runs[1])
})

test('the shape follows its switches: who is told by number, by id, or by both', async () => {
  const { emulator, values, listen } = await openEmulator()
  await listen()
  // One by one: what is due at one moment may arrive in any order.
  const hear = async (from: string, content: string) => {
    emulator.inbound({ from, content })
    await emulator.advance(0)
  }
  await hear('15555550150', 'No number')
  await emulator.configure({ includeBsuid: false })
  await hear(ann, 'A number')
  await emulator.configure({ hidePhone: true })
  await hear(ann, 'Hidden now')
  const senders = values().map(
    (value: { messages: { from?: string; from_user_id?: string }[] }) => {
      const [{ from, from_user_id } = {}] = value.messages
      return [from !== undefined, from_user_id !== undefined]
    },
  )
  expect(senders).toEqual([
    [false, true],
    [true, false],
    [false, true],
  ])
})
