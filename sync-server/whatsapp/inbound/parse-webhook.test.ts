import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { matchContact } from '../customers/contact-identity.ts'
import { readInboundContent } from './inbound-content.ts'
import { parseWebhook } from './parse-webhook.ts'
import { presentInbound } from './present-inbound.ts'

const metadata = { phone_number_id: '106', display_phone_number: '15550783881' }
const wrap = (value: Record<string, unknown>, field = 'messages') => ({
  object: 'whatsapp_business_account',
  entry: [{ id: '102', changes: [{ field, value: { metadata, ...value } }] }],
})
const text = (id: string, more = {}) => ({
  id,
  from: '16505551234',
  timestamp: '1749416383',
  type: 'text',
  text: { body: id },
  ...more,
})
const status = (id: string, more = {}) => ({
  id,
  status: 'sent',
  timestamp: '1749416383',
  recipient_id: '16505551234',
  ...more,
})

describe('a batch', () => {
  test('is taken apart to its last update, messages before statuses', async () => {
    const one = wrap({ statuses: [status('a'), status('b')], messages: [text('c')] })
    const two = wrap({ messages: [text('d'), text('e')] })
    const items = await parseWebhook({ ...one, entry: [...one.entry, ...two.entry] })
    expect(items?.map((item) => 'wamid' in item && item.wamid)).toEqual(['c', 'd', 'e', 'a', 'b'])
  })

  test('loses nothing to an item that nobody can read', async () => {
    const items = await parseWebhook(
      wrap({ messages: [null, text('a'), { type: 'text' }, text('b')] }),
    )
    expect(items?.map(({ kind }) => kind)).toEqual(['message', 'message', 'ignored', 'ignored'])
  })

  test('of fields and states of tomorrow is ignored', async () => {
    const bodies = [
      wrap({}, 'calls'),
      wrap({ statuses: [status('a', { status: 'teleported' })] }),
      wrap({ statuses: [status('a', { recipient_type: 'group' })] }),
      wrap({ messages: [text('a', { group_id: 'g' })] }),
    ]
    const read = await Promise.all(bodies.map(parseWebhook))
    const kinds = read.map((items) => items?.map(({ kind }) => kind))
    expect(kinds).toEqual([['ignored'], ['ignored'], ['ignored'], ['ignored']])
  })

  test('that is none is told apart', async () => {
    for (const body of [null, [], 'a', {}, { entry: 1 }])
      expect(await parseWebhook(body)).toBe(null)
  })

  test('never throws, whatever is in it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), async (a, b, c) => {
        await parseWebhook(wrap({ messages: [a, b], statuses: [c, a], contacts: b, errors: [c] }))
        await parseWebhook({ entry: [a, { changes: [b, { field: 'messages', value: c }] }] })
        await parseWebhook(wrap({ messages: [text('a', { type: 'image', image: a, context: b })] }))
      }),
    )
  })
})

test('P12: a batch of 20,000 customers lets others work, and finds each one once', async () => {
  const numbers = Array.from({ length: 20_000 }, (_, at) => String(16_500_000_000 + at))
  const contacts = numbers.map((wa_id) => ({ wa_id, profile: { name: `Customer ${wa_id}` } }))
  const messages = numbers.map((from) => text(`wamid.${from}`, { from }))
  const turns = { count: 0, isOver: false }
  const next = () => {
    turns.count += 1
    if (!turns.isOver) setImmediate(next)
  }
  setImmediate(next)
  const items = await parseWebhook(wrap({ contacts, messages }))
  turns.isOver = true
  expect(turns.count).toBeGreaterThan(1)
  const senders = items?.map((item) => item.kind === 'message' && item.sender.name)
  expect(senders).toEqual(numbers.map((number) => `Customer ${number}`))
})

describe('who it is from', () => {
  test('is joined from message and contact by either id', async () => {
    const contacts = [
      { profile: { name: 'Ben' }, wa_id: '1' },
      { profile: { name: 'Ann', username: '@ann' }, wa_id: '16505551234', user_id: 'US.1' },
    ]
    const [item] = (await parseWebhook(wrap({ contacts, messages: [text('a')] }))) ?? []
    expect(item).toMatchObject({
      sender: { waId: '16505551234', userId: 'US.1', name: 'Ann', username: '@ann' },
    })
  })

  test('can be a person without a number', async () => {
    const contacts = [{ profile: { name: 'Ann' }, user_id: 'US.1' }]
    const hidden = text('a', { from: undefined, from_user_id: 'US.1' })
    const [item] = (await parseWebhook(wrap({ contacts, messages: [hidden] }))) ?? []
    expect(item).toMatchObject({ sender: { waId: null, userId: 'US.1', name: 'Ann' } })
  })

  test('is never the name of somebody else in the batch', async () => {
    const contacts = [{ profile: { name: 'Ben' }, wa_id: '1' }]
    const [item] = (await parseWebhook(wrap({ contacts, messages: [text('a')] }))) ?? []
    expect(item).toMatchObject({ sender: { waId: '16505551234', name: null } })
  })
})

test('a status carries our own id, and the error of a failure', async () => {
  const errors = [{ code: 131026, title: 'Message undeliverable', error_data: { details: 'x' } }]
  const failed = status('a', { status: 'failed', errors, biz_opaque_callback_data: 'm_1' })
  const read = await parseWebhook(wrap({ statuses: [failed, status('b', { errors: 'none' })] }))
  expect(read).toMatchObject([
    {
      kind: 'status',
      wamid: 'a',
      status: 'failed',
      messageId: 'm_1',
      at: 1749416383000,
      error: { code: 131026, title: 'Message undeliverable', details: 'x' },
    },
    { wamid: 'b', status: 'sent', messageId: null, error: null },
  ])
})

describe('a contact is found', () => {
  const known = new Map([
    ['5511987654321', 'ann'],
    ['525512345678', 'ben'],
    ['541123456789', 'eve'],
    ['US.1', 'ann'],
  ])
  const find = (waId: string | null, userId: string | null = null) =>
    matchContact({ waId, userId, parentUserId: null }, (alias) => known.get(alias))

  test.each([
    ['as it is', '5511987654321', 'ann'],
    ['in Brazil without the nine', '551187654321', 'ann'],
    ['in Mexico with the one', '5215512345678', 'ben'],
    ['in Argentina with the nine', '5491123456789', 'eve'],
    ['nowhere else', '15512345678', undefined],
  ])('%s', (_where, waId, expected) => expect(find(waId)).toBe(expected))

  test('by the id within the business, with or without a number', async () => {
    expect(find(null, 'US.1')).toBe('ann')
    expect(find('99999999', 'US.1')).toBe('ann')
    expect(find(null, 'US.2')).toBe(undefined)
  })

  test('not by a landline of Argentina that may be another subscriber', async () => {
    const mobile = new Map([['5491123456789', 'eve']])
    const identity = { waId: '541123456789', userId: null, parentUserId: null }
    expect(matchContact(identity, (alias) => mobile.get(alias))).toBe(undefined)
  })
})

test.each<[string, Record<string, unknown>, object | null]>([
  ['text', { text: { body: 'Hi' } }, { type: 'text', content: 'Hi' }],
  ['image', { image: { id: '1', caption: 'Cat' } }, { type: 'image', content: 'Cat' }],
  ['sticker', { sticker: { id: '1' } }, { type: 'image', content: '', isSticker: true }],
  [
    'document',
    { document: { id: '1', filename: 'a.pdf' } },
    { type: 'document', content: 'a.pdf' },
  ],
  ['audio', { audio: { id: '1', voice: true } }, { type: 'audio', content: '' }],
  ['location', { location: { latitude: 1.5, longitude: 2 } }, { type: 'text', content: '1.5, 2' }],
  ['location', { location: { latitude: 1, longitude: 2, name: 'Here' } }, { content: 'Here' }],
  [
    'contacts',
    { contacts: [{ name: { formatted_name: 'Ann' } }, {}] },
    { content: 'Ann, Contact' },
  ],
  [
    'button',
    { button: { text: 'Yes', payload: 'Y' } },
    { content: 'Yes', button: { payload: 'Y', text: 'Yes' } },
  ],
  [
    'interactive',
    { interactive: { button_reply: { id: 'b', title: 'Yes' } } },
    { type: 'interactive', content: 'Yes', button: { payload: 'b', text: 'Yes' } },
  ],
  [
    'interactive',
    { interactive: { list_reply: { id: 'r', title: 'One' } } },
    { type: 'interactive', content: 'One', list_reply: { id: 'r', title: 'One' } },
  ],
  [
    'interactive',
    { interactive: { type: 'button_reply' } },
    { content: 'This message type is not supported' },
  ],
  ['order', { order: { product_items: [1, 2] } }, { type: 'text', content: 'Order: 2 items' }],
  ['system', { system: { body: 'Changed' } }, { type: 'text', content: 'Changed' }],
  ['reaction', { reaction: { message_id: 'a', emoji: '' } }, null],
  [
    'edit',
    { edit: { original_message_id: 'a', message: { type: 'text', text: { body: 'x' } } } },
    null,
  ],
  ['revoke', { revoke: { original_message_id: 'a' } }, null],
  ['hologram', {}, { type: 'text', content: 'This message type is not supported' }],
  [
    'unsupported',
    { errors: [{ code: 131051 }] },
    { content: 'This message type is not supported' },
  ],
  [
    'video',
    { errors: [{ code: 131052 }] },
    { content: 'The file that was sent could not be fetched.' },
  ],
  ['constructor', {}, { content: 'This message type is not supported' }],
])('%s is shown as what it is', (type, content, expected) => {
  const fields = presentInbound(readInboundContent({ type, ...content }))
  if (expected === null) expect(fields).toBe(null)
  else expect(fields).toMatchObject(expected)
})
