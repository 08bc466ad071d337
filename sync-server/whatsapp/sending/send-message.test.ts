import { afterEach, describe, expect, test } from 'vitest'
import { openTestChannel } from '../../testing/open-test-channel.ts'
import { validateMessage } from '../content/validate-message.ts'
import type { SendOutcome } from './send-message.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

async function openChannel(env: Record<string, string> = {}) {
  const channel = await openTestChannel({ env })
  open.push(channel)
  return channel
}

const scripted = (nn: string) => `155555501${nn}`

function must<Kind extends SendOutcome['kind']>(outcome: SendOutcome, kind: Kind) {
  expect(outcome).toMatchObject({ kind })
  return outcome as Extract<SendOutcome, { kind: Kind }>
}

describe('what is sent', () => {
  test('always has its plus, our own id and its type', async () => {
    const { emulator, say } = await openChannel()
    const outcome = must(
      await say('16505551234', { messageId: 'm_1', replyTo: 'wamid.A=' }),
      'accepted',
    )
    const [sent] = emulator.outbox()
    expect(sent?.request).toEqual({
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to: '+16505551234',
      type: 'text',
      context: { message_id: 'wamid.A=' },
      biz_opaque_callback_data: 'm_1',
      text: { body: 'Hello' },
    })
    expect(outcome).toEqual({
      kind: 'accepted',
      wamid: sent?.wamid,
      waId: '16505551234',
      userId: null,
      messageStatus: null,
    })
  })

  test.each(['16505551234', '+1 (650) 555-1234', '442071838750'])(
    'goes to the very number that was written: %s',
    async (phone) => {
      const { emulator, say } = await openChannel()
      await say(phone)
      expect(emulator.outbox()[0]?.to).toBe(`+${phone.replaceAll(/\D/g, '')}`)
    },
  )

  test('goes to a person without a number by their id', async () => {
    const { emulator, say } = await openChannel()
    emulator.inbound({ from: scripted('50'), content: 'Hi' })
    const userId = emulator.received()[0]?.customer.bsuid ?? ''
    const outcome = must(await say('', { to: { userId } }), 'accepted')
    expect(outcome).toMatchObject({ waId: null, userId })
    expect(emulator.outbox()[0]?.request).toMatchObject({ recipient: userId })
  })

  test('comes back with the number as WhatsApp knows it', async () => {
    const { say } = await openChannel()
    expect(await say('5511987654321')).toMatchObject({ waId: '551187654321' })
  })
})

describe('the answer decides', () => {
  test.each([
    ['12', 131047, 422, "More than 24 hours since the contact's last message. Send a template."],
    [
      '26',
      131030,
      422,
      'The test number may not write to this person: add them to its list at Meta.',
    ],
    ['27', 131042, 422, 'WhatsApp has a problem with the payment of this account.'],
    ['34', 131009, 422, 'WhatsApp does not accept a part of this message.'],
  ])('%s: a refusal %i is told in words, and not tried again', async (nn, code, status, words) => {
    const { say, waits } = await openChannel()
    const { error } = must(await say(scripted(nn)), 'rejected')
    expect(error).toMatchObject({ code, status, words })
    expect(waits).toEqual([])
  })

  test('17: twice nothing, then it is taken; tried once more at once, and then later', async () => {
    const { emulator, say, waits } = await openChannel()
    const first = must(await say(scripted('17')), 'retryable')
    expect(first).toMatchObject({ attempts: 2, error: { code: 131000 } })
    expect(waits).toEqual([500])
    must(await say(scripted('17'), { attempt: first.attempts }), 'accepted')
    expect(emulator.outbox()).toHaveLength(1)
  })

  test('17: it is given up after the tries that its code is worth', async () => {
    const { say } = await openChannel()
    must(await say(scripted('17'), { attempt: 2 }), 'rejected')
  })

  test('18: a service that is down comes back', async () => {
    const { emulator, say } = await openChannel()
    const first = must(await say(scripted('18')), 'retryable')
    const second = must(await say(scripted('18'), { attempt: first.attempts }), 'accepted')
    expect(second.wamid).toBe(emulator.outbox()[0]?.wamid)
    expect(first.afterMs).toBeGreaterThanOrEqual(3_200)
  })

  test('19: too fast to one person holds up that person only', async () => {
    const { emulator, say, waits } = await openChannel()
    const first = must(await say(scripted('19')), 'retryable')
    expect(first.error).toMatchObject({ code: 131056, status: 429 })
    must(await say(scripted('00')), 'accepted')
    expect(waits).toEqual([])
    // The next waits for its turn up to the maximum, and otherwise tells when to retry.
    const tooEarly = must(await say(scripted('19'), { waitMaxMs: 0 }), 'retryable')
    expect([tooEarly.attempts, tooEarly.afterMs > 0]).toEqual([0, true])
    expect(emulator.outbox()).toHaveLength(1)
    await emulator.advance(6_000)
    must(await say(scripted('19')), 'accepted')
  })

  test('20: a number that is too fast for a moment is tried again at once', async () => {
    const { say } = await openChannel()
    must(await say(scripted('20')), 'accepted')
  })

  test.each([
    ['21', 80007],
    ['22', 4],
  ])('%s: a limit of the account is worth waiting a minute for', async (nn, code) => {
    const { say } = await openChannel()
    const { afterMs, error } = must(await say(scripted(nn)), 'retryable')
    expect(error).toMatchObject({ code, status: 429 })
    expect(afterMs).toBeGreaterThanOrEqual(60_000)
  })

  test.each([
    ['30', 'no answer at all'],
    ['31', 'a connection that is cut'],
    ['32', 'a page of a proxy'],
    ['33', 'half an answer'],
  ])('%s: after %s it may have been taken, so it is not sent again', async (nn) => {
    // Enough for a slow machine to take the call before it is given up.
    const { emulator, say, listen, values, waits } = await openChannel({
      WHATSAPP_SEND_TIMEOUT_MS: '3000',
    })
    await listen()
    emulator.setWindow({ wa_id: scripted(nn), state: 'open' })
    must(await say(scripted(nn), { messageId: 'm_7' }), 'unknown')
    expect(waits).toEqual([])
    expect(emulator.outbox()).toHaveLength(nn === '31' ? 0 : 1)
    await emulator.advance(1_000)
    // The webhook that settles it carries our own id.
    const told = values().flatMap(
      (value: { statuses: Record<string, unknown>[] }) => value.statuses,
    )
    const expected = nn === '31' ? [] : ['m_7', 'm_7', 'm_7']
    expect(told.map((one: Record<string, unknown>) => one.biz_opaque_callback_data)).toEqual(
      expected,
    )
  })

  test('nobody there: nothing has left, so it is tried again', async () => {
    const { emulator, say } = await openChannel()
    await emulator.close()
    open.length = 0
    const { error } = must(await say(scripted('00')), 'retryable')
    expect(error).toMatchObject({ code: null, status: 503 })
  })

  test('a transient error is tried again whatever its code', async () => {
    const { emulator, say } = await openChannel()
    emulator.addRule({
      match: {},
      times: 1,
      respond: { error: { code: 135000, isTransient: true } },
    })
    must(await say(scripted('00')), 'retryable')
  })
})

describe('a token that does not work', () => {
  test('stops all sends, alarms once, answers 503 and never 401, and is tried again after five minutes', async () => {
    const { emulator, say, alarms, settings } = await openChannel()
    expect(must(await say(scripted('23')), 'rejected').error).toMatchObject({
      code: 190,
      status: 503,
      words: 'WhatsApp channel is not available',
    })
    expect(must(await say(scripted('00')), 'rejected').error.status).toBe(503)
    expect(emulator.outbox()).toEqual([])
    expect(alarms).toHaveLength(1)
    await emulator.advance(5 * 60_000)
    must(await say(scripted('00')), 'accepted')
    must(await say(scripted('00')), 'accepted')
    const told = JSON.stringify(alarms)
    for (const secret of [settings.accessToken, settings.appSecret, settings.verifyToken]) {
      expect(told).not.toContain(secret)
    }
  })

  test('is never repeated in what is logged or shown, even where WhatsApp repeats it', async () => {
    const { emulator, say, settings } = await openChannel()
    const details = `Malformed access token ${settings.accessToken} of ${settings.appSecret}`
    emulator.addRule({ match: {}, times: 1, respond: { error: { code: 131009, details } } })
    const { error } = must(await say(scripted('00')), 'rejected')
    expect(error.details).toBe('Malformed access token [removed] of [removed]')
  })

  test.each(['24', '25'])('%s: so does an account that is closed', async (nn) => {
    const { say, breaker } = await openChannel()
    must(await say(scripted(nn)), 'rejected')
    expect(breaker.isOpen()).toBe(true)
  })

  test('one that was exchanged is met by the next send', async () => {
    const { emulator, say } = await openChannel()
    emulator.rotateToken()
    expect(must(await say(scripted('00')), 'rejected').error.code).toBe(190)
  })
})

test('with a proof of the app secret where the app demands it', async () => {
  const { say } = await openChannel({ WHATSAPP_APPSECRET_PROOF: 'true' })
  must(await say(scripted('00')), 'accepted')
})

test('every type of message that we take is taken', async () => {
  const { emulator, say } = await openChannel()
  await emulator.configure({ windowMode: 'off' })
  const messages: [string, unknown][] = [
    ['text', { body: 'See https://example.org', preview_url: true }],
    ['image', { link: 'https://example.org/a.jpg', caption: 'A' }],
    ['video', { link: 'https://example.org/a.mp4' }],
    ['audio', { link: 'https://example.org/a.ogg', voice: true }],
    ['document', { link: 'https://example.org/a.pdf', filename: 'a.pdf', caption: 'A' }],
    ['sticker', { link: 'https://example.org/a.webp' }],
    ['location', { latitude: 52.5, longitude: '13.4', name: 'Berlin' }],
    [
      'contacts',
      [{ name: { formatted_name: 'Ben Miller', first_name: 'Ben' }, phones: [{ phone: '+1' }] }],
    ],
    ['reaction', { message_id: 'wamid.A=', emoji: '👍' }],
    ['reaction', { message_id: 'wamid.A=', emoji: '' }],
    [
      'interactive',
      {
        type: 'button',
        body: { text: 'Well?' },
        action: {
          buttons: [
            { title: 'Yes' },
            { id: 'no', title: 'No' },
            { type: 'reply', reply: { title: 'Maybe' } },
          ],
        },
      },
    ],
    [
      'interactive',
      {
        type: 'list',
        header: { type: 'text', text: 'H' },
        body: { text: 'Pick' },
        footer: { text: 'F' },
        action: {
          button: 'Options',
          sections: [{ rows: [{ id: '1', title: 'One', description: null }] }],
        },
      },
    ],
    ['template', { name: 'hello_world' }],
    [
      'template',
      {
        name: 'order_confirmation',
        language: 'en',
        components: [
          {
            type: 'BODY',
            parameters: [
              { type: 'text', text: 'A-1' },
              { type: 'text', text: '$1' },
            ],
          },
          { type: 'FOOTER', text: 'x' },
        ],
      },
    ],
  ]
  for (const [type, content] of messages) {
    const read = validateMessage(type, content)
    if ('refusal' in read) throw new Error(`${type}: ${read.refusal}`)
    must(await say(scripted('00'), { message: read.message }), 'accepted')
  }
  const sent = emulator.outbox().map(({ request }) => request)
  expect(sent).toHaveLength(messages.length)
  expect(sent[10]).toMatchObject({
    interactive: {
      action: {
        buttons: [
          { type: 'reply', reply: { id: 'btn_0', title: 'Yes' } },
          { type: 'reply', reply: { id: 'no', title: 'No' } },
          { type: 'reply', reply: { id: 'btn_2', title: 'Maybe' } },
        ],
      },
    },
  })
  expect(sent[12]).toMatchObject({ template: { name: 'hello_world', language: { code: 'en' } } })
})
