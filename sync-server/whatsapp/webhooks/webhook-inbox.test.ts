import { createHash, createHmac } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import express from 'express'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { createDeferred } from '../../../schema/helpers/deferred.ts'
import { createStorage } from '../../storage/storage.ts'
import { openTestEmulator } from '../../testing/open-test-emulator.ts'
import { toWireJson } from '../../tools/whatsapp-emulator/wire/wire-json.ts'
import type { WebhookDocument } from './webhook-event.ts'
import { createWebhookEvents } from './webhook-events.ts'
import { type ApplyItem, createWebhookInbox } from './webhook-inbox.ts'
import { createWebhookRouter } from './webhook-router.ts'

const open: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

const appSecret = 'emulator-app-secret'
const verifyToken = 'emulator-verify-token'

async function makeFolder() {
  const dataDir = await mkdtemp(join(tmpdir(), 'petrel-webhooks-'))
  open.push(() => rm(dataDir, { recursive: true }))
  return dataDir
}

/**
 * The route on real storage. `applied`: the processed updates, each once per wamid like a message.
 */
async function openInbox(
  options: {
    dataDir?: string
    apply?: ApplyItem
    retryWaitsMs?: number[]
    brokenTimes?: number
    /** How many successful writes report a failure. */
    unseenTimes?: number
  } = {},
) {
  const dataDir = options.dataDir ?? (await makeFolder())
  const broken = { times: options.brokenTimes ?? 0, unseenTimes: options.unseenTimes ?? 0 }
  const storage = createStorage({ dataDir, durability: 'relaxed' })
  const database = storage.database<WebhookDocument>('whatsapp-events')
  const events = createWebhookEvents({ database })
  const failing = {
    ...events,
    async keep(rawBody: Uint8Array) {
      if (broken.times > 0) {
        broken.times -= 1
        throw new Error('the disk is full')
      }
      const kept = await events.keep(rawBody)
      if (broken.unseenTimes === 0) return kept
      broken.unseenTimes -= 1
      throw new Error('the disk was full for a moment')
    },
  }
  const applied: string[] = []
  const faults: unknown[] = []
  const invalid: string[] = []
  const inbox = createWebhookInbox({
    events: failing,
    apply:
      options.apply ??
      (async (item) => {
        const name = 'wamid' in item ? `${item.kind} ${item.wamid}` : item.kind
        applied.push(item.kind === 'status' ? `${item.status} ${item.wamid}` : name)
        return { outcome: 'applied' }
      }),
    retryWaitsMs: options.retryWaitsMs ?? [0, 0, 0],
    onError: (error) => faults.push(error),
  })
  const { router } = createWebhookRouter({
    inbox,
    appSecret,
    verifyToken,
    onInvalidSignature: (what) => invalid.push(what),
    onError: (error) => faults.push(error),
  })
  const app = express().set('query parser', 'simple').use('/api', router)
  const server = app.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/webhooks/whatsapp`
  const closing: { done?: Promise<void> } = {}
  const stop = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    await inbox.close()
    await storage.close()
  }
  const close = () => (closing.done ??= stop())
  open.push(close)
  const sign = (body: string) =>
    `sha256=${createHmac('sha256', appSecret).update(body).digest('hex')}`
  return {
    dataDir,
    inbox,
    events,
    applied,
    faults,
    invalid,
    url,
    close,
    post: async (body: string, headers: Record<string, string> = {}) => {
      const signed = { 'x-hub-signature-256': sign(body), ...headers }
      const answer = await fetch(url, { method: 'POST', body, headers: signed })
      return { status: answer.status, text: await answer.text() }
    },
    eventOf: (body: string) =>
      events.read(`whe_${createHash('sha256').update(body).digest('hex')}`),
    idle: () => expect.poll(() => inbox.levels().gauges.petrel_webhooks_pending?.read()).toBe(0),
  }
}

const metadata = { phone_number_id: '106', display_phone_number: '15550783881' }
const wrap = (value: Record<string, unknown>) =>
  toWireJson({
    object: 'whatsapp_business_account',
    entry: [{ id: '102', changes: [{ field: 'messages', value: { metadata, ...value } }] }],
  })
const text = (id: string, from = '16505551234') => ({
  id,
  from,
  timestamp: '1749416383',
  type: 'text',
  text: { body: `🌵 ${id}` },
})

describe('the route', () => {
  test('gives the challenge back, as text and nothing else', async () => {
    const { url } = await openInbox()
    const ask = (token: string) =>
      fetch(`${url}?hub.mode=subscribe&hub.challenge=1158&hub.verify_token=${token}`)
    const right = await ask(verifyToken)
    expect([right.status, await right.text()]).toEqual([200, '1158'])
    expect(right.headers.get('content-type')).toMatch(/^text\/plain/)
    expect((await ask('wrong')).status).toBe(403)
    expect((await fetch(url)).status).toBe(400)
    expect(
      (
        await fetch(
          `${url}?hub.mode=subscribe&hub.challenge=1&hub.verify_token=a&hub.verify_token=b`,
        )
      ).status,
    ).toBe(400)
  })

  test('stores nothing that is not signed', async () => {
    const { post, eventOf, events, invalid, url } = await openInbox()
    const body = wrap({ messages: [text('a')] })
    const wrong = { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` }
    expect((await post(body, wrong)).status).toBe(401)
    expect((await post(body, { 'x-hub-signature-256': '' })).status).toBe(401)
    expect((await fetch(url, { method: 'POST', body })).status).toBe(401)
    expect((await fetch(url, { method: 'POST' })).status).toBe(401)
    expect(invalid).toEqual(['wrong', 'missing', 'missing', 'missing'])
    expect(await eventOf(body)).toBe(undefined)
    expect(await events.expire(Number.POSITIVE_INFINITY)).toBe(0)
  })

  test('answers whatever is thrown at it: 200 for what is signed, 401 for what is not', async () => {
    const { post, idle, eventOf, faults } = await openInbox()
    const deep = `{"entry":${'['.repeat(20_000)}${']'.repeat(20_000)}}`
    expect((await post(deep)).status).toBe(200)
    const anything = fc.oneof(
      fc.json().map((value) => `${value} `),
      fc.string({ minLength: 1 }),
      fc
        .jsonValue()
        .map((value) => wrap({ messages: [value], statuses: value, contacts: [value] })),
    )
    await fc.assert(
      fc.asyncProperty(anything, fc.string(), async (body, signature) => {
        const name = { 'x-hub-signature-256': encodeURIComponent(signature) }
        const text = `${body} unsigned`
        expect((await post(text, name)).status).toBe(401)
        expect(await eventOf(text)).toBe(undefined)
        expect((await post(body)).status).toBe(200)
      }),
      { numRuns: 60 },
    )
    await idle()
    expect(faults).toEqual([])
  })

  test('answers 500 while it cannot store, and the redelivery is one message', async () => {
    const { post, applied, idle, eventOf } = await openInbox({ brokenTimes: 1 })
    const body = wrap({ messages: [text('a')] })
    expect((await post(body)).status).toBe(500)
    expect(applied).toEqual([])
    expect(await post(body)).toEqual({ status: 200, text: 'EVENT_RECEIVED' })
    await idle()
    expect(applied).toEqual(['message a'])
    expect(await eventOf(body)).toMatchObject({ status: 'processed', attempts: 1 })
  })

  test('P1: what was stored although its writing was told to have failed is processed when it comes again', async () => {
    const { post, applied, idle, eventOf } = await openInbox({ unseenTimes: 1 })
    const body = wrap({ messages: [text('a')] })
    expect((await post(body)).status).toBe(500)
    expect(applied).toEqual([])
    for (let copy = 0; copy < 2; copy += 1) expect((await post(body)).status).toBe(200)
    await idle()
    expect(applied).toEqual(['message a'])
    expect(await eventOf(body)).toMatchObject({ status: 'processed', attempts: 1 })
  })

  test('keeps what no one can read, says so, and answers 200: another try would not help', async () => {
    const { post, eventOf, idle } = await openInbox()
    for (const body of ['{', '[]', 'null', '"a"', '{"entry":3}']) {
      expect((await post(body)).status).toBe(200)
    }
    await idle()
    expect(await eventOf('{')).toMatchObject({ raw: '{', status: 'failed', attempts: 1 })
  })
})

describe('processing', () => {
  test('the same bytes twice are processed once', async () => {
    const { post, applied, idle, inbox } = await openInbox()
    const body = wrap({ messages: [text('a')] })
    await Promise.all([post(body), post(body), post(body)])
    await post(body)
    await idle()
    expect(applied).toEqual(['message a'])
    expect(inbox.levels().counters.petrel_webhooks_duplicate_total?.read()).toBe(3)
  })

  test('an album of ten parallel webhooks of one contact is one after the other', async () => {
    const counted = { now: 0, most: 0, done: 0 }
    const { post, idle } = await openInbox({
      async apply() {
        counted.now += 1
        counted.most = Math.max(counted.most, counted.now)
        await new Promise((resolve) => setImmediate(resolve))
        counted.now -= 1
        counted.done += 1
        return { outcome: 'created' }
      },
    })
    const bodies = Array.from({ length: 10 }, (_, index) => wrap({ messages: [text(`a${index}`)] }))
    await Promise.all(bodies.map((body) => post(body)))
    await idle()
    expect(counted).toEqual({ now: 0, most: 1, done: 10 })
  })

  test('one update that fails loses none beside it; tried again, it is done', async () => {
    const tries = new Map<string, number>()
    const { post, idle, inbox, eventOf } = await openInbox({
      retryWaitsMs: [],
      async apply(item) {
        const wamid = 'wamid' in item ? item.wamid : ''
        tries.set(wamid, (tries.get(wamid) ?? 0) + 1)
        if (wamid === 'b' && tries.get('b') === 1) throw new Error('broken')
        return {
          outcome: tries.get(wamid) === 1 ? 'created' : 'duplicate',
          messageId: `m ${wamid}`,
        }
      },
    })
    const body = wrap({ messages: [text('a'), text('b'), text('c')] })
    await post(body)
    await idle()
    const event = await eventOf(body)
    const id = event?._id ?? ''
    expect(event).toMatchObject({ status: 'failed', attempts: 1, error: '1 of 3 updates failed.' })
    expect(event?.items.map(({ outcome }) => outcome)).toEqual(['created', 'error', 'created'])
    expect(await inbox.reprocess('whe_unknown')).toBe('unknown')
    expect(await inbox.reprocess(id)).toBe('started')
    await idle()
    expect(await eventOf(body)).toMatchObject({ status: 'processed', attempts: 2, error: null })
    expect(Object.fromEntries(tries)).toEqual({ a: 2, b: 2, c: 2 })
  })

  test('what fails is tried three times more by itself, and then on request only', async () => {
    const counted = { tries: 0 }
    const { post, idle, faults } = await openInbox({
      async apply() {
        counted.tries += 1
        throw new Error('broken')
      },
    })
    await post(wrap({ messages: [text('a')] }))
    await idle()
    expect([counted.tries, faults.length]).toEqual([4, 4])
  })

  test('what was kept and not processed when the server stopped is done after the next start', async () => {
    const never = new Promise<never>(() => undefined)
    const dataDir = await makeFolder()
    const storage = createStorage({ dataDir, durability: 'relaxed' })
    const database = storage.database<WebhookDocument>('whatsapp-events')
    const inbox = createWebhookInbox({
      events: createWebhookEvents({ database }),
      apply: () => never,
      onError: () => undefined,
    })
    for (const id of ['a', 'b']) {
      await inbox.take(new TextEncoder().encode(wrap({ messages: [text(id)] })))
    }
    // As after a kill: nothing gets to finish.
    await storage.close()
    const { inbox: next, applied, idle } = await openInbox({ dataDir })
    await next.resume()
    await idle()
    expect(applied.toSorted()).toEqual(['message a', 'message b'])
    await next.resume()
    await idle()
    expect(applied).toHaveLength(2)
  })

  test('the latest webhook about a message is found, whichever was processed last', async () => {
    const storage = createStorage({ dataDir: await makeFolder(), durability: 'relaxed' })
    open.push(() => storage.close())
    const clock = { now: 1_000 }
    const events = createWebhookEvents({
      database: storage.database<WebhookDocument>('whatsapp-events'),
      now: () => clock.now,
    })
    const encode = (words: string) => new TextEncoder().encode(words)
    const { event: first } = await events.keep(encode('first'))
    clock.now += 1
    const { event: second } = await events.keep(encode('second'))
    const about = { kind: 'status', wamid: 'w', outcome: 'applied', phoneNumberId: '1' } as const
    const items = [{ ...about, messageId: 'hello', ownerId: 'ann' }]
    await events.change(second._id, { items })
    await events.change(first._id, { items })
    expect((await events.findLatest('ann', 'hello'))?._id).toBe(second._id)
    expect(await events.findLatest('ben', 'hello')).toBeUndefined()
    const walked: string[] = []
    for await (const { _id } of events.walk()) walked.push(_id)
    expect(walked.toSorted()).toEqual([first._id, second._id].toSorted())
    expect(await events.expire(clock.now + 1)).toBe(2)
  })

  test("people's words go after a while, and what they belonged to cannot be processed again", async () => {
    const { post, inbox, idle, events } = await openInbox()
    await post(wrap({ messages: [text('a')] }))
    const { id } = await inbox.take(new TextEncoder().encode(wrap({ messages: [text('a')] })))
    await idle()
    expect(await events.expire(0)).toBe(0)
    expect(await events.expire(Date.now() + 1)).toBe(1)
    expect(await events.read(id)).toMatchObject({ raw: null, status: 'processed' })
    expect(await inbox.reprocess(id)).toBe('expired')
  })
})

describe('several servers on one storage', () => {
  async function openShared() {
    const storage = createStorage({ dataDir: await makeFolder(), durability: 'relaxed' })
    open.push(() => storage.close())
    const database = storage.database<WebhookDocument>('whatsapp-events')
    const clock = { now: 1_000 }
    const faults: unknown[] = []
    const openServer = (apply: ApplyItem) => {
      const events = createWebhookEvents({ database, isShared: true, now: () => clock.now })
      const inbox = createWebhookInbox({
        events,
        apply,
        retryWaitsMs: [],
        now: () => clock.now,
        onError: (error) => faults.push(error),
      })
      return inbox
    }
    /** It has answered, and is killed before it processes anything. */
    const takeAndEnd = async (body: Uint8Array) => {
      const ended = openServer(async () => await new Promise<never>(() => undefined))
      await ended.take(body)
      ended.drop()
    }
    return { clock, faults, openServer, takeAndEnd }
  }
  const encode = (id: string) => new TextEncoder().encode(wrap({ messages: [text(id)] }))

  test('one that has nothing to do hides from nobody what another has kept and not done', async () => {
    const { faults, openServer, takeAndEnd } = await openShared()
    const applied: string[] = []
    const apply: ApplyItem = async (item) => {
      applied.push('wamid' in item ? item.wamid : item.kind)
      return { outcome: 'applied' }
    }
    await takeAndEnd(encode('a'))
    const idle = openServer(apply)
    await idle.take(encode('b'))
    await expect.poll(() => applied).toEqual(['b'])
    await expect.poll(() => idle.levels().gauges.petrel_webhooks_pending?.read()).toBe(0)
    await idle.close()
    const next = openServer(apply)
    await next.resume()
    await expect.poll(() => applied).toEqual(['b', 'a'])
    await next.close()
    expect(faults).toEqual([])
  })

  test('what a server has kept that ended for good, another one processes after a while', async () => {
    const { clock, faults, openServer, takeAndEnd } = await openShared()
    const applied: string[] = []
    await takeAndEnd(encode('a'))
    const other = openServer(async (item) => {
      applied.push('wamid' in item ? item.wamid : item.kind)
      return { outcome: 'applied' }
    })
    await other.takeOver()
    expect(other.levels().gauges.petrel_webhooks_pending?.read()).toBe(0)
    clock.now += 10 * 60_000
    await other.takeOver()
    await expect.poll(() => applied).toEqual(['a'])
    await other.close()
    expect(faults).toEqual([])
  })
})

test('from a press on a phone to the inbox, over HTTP: each once, also twice and out of order', async () => {
  const { emulator, send, close } = await openTestEmulator()
  open.push(close)
  const { url, applied, idle } = await openInbox()
  expect(await emulator.configure({ webhookUrl: url, jitterMs: 1_000 })).toBe(true)
  emulator.inbound({ from: '15555550105', content: 'Hello 🌵' })
  await send({ to: '+15555550105', type: 'text', text: { body: 'Hi' } })
  await emulator.advance(5_000)
  await idle()
  const wamid = emulator.outbox()[0]?.wamid
  expect(applied.toSorted()).toEqual(
    [
      `message ${emulator.received()[0]?.wamid}`,
      ...['sent', 'delivered', 'read'].map((status) => `${status} ${wamid}`),
    ].toSorted(),
  )
})

test('P12: a webhook of 20,000 messages is worked off in parts, in order, and holds up no other', async () => {
  const state = { active: 0, most: 0 }
  const order: string[] = []
  const short = createDeferred()
  const { post, eventOf, idle } = await openInbox({
    async apply(item) {
      const name = 'wamid' in item ? item.wamid : item.kind
      state.active += 1
      state.most = Math.max(state.most, state.active)
      await new Promise((resolve) => setImmediate(resolve))
      // A disk that is slow to store the short one lets the long one get no further than here.
      if (order.length >= 5_000 && name !== 'short') await short.promise
      state.active -= 1
      order.push(name)
      if (name === 'short') short.resolve()
      return { outcome: 'applied' }
    },
  })
  const customers = Array.from({ length: 10_000 }, (_, at) => String(16_500_000_000 + at))
  const messages = ['first', 'second'].flatMap((which) =>
    customers.map((from) => ({ ...text(`${which} ${from}`), from, text: { body: 'hi' } })),
  )
  const contacts = customers.map((wa_id) => ({ wa_id, profile: { name: 'Customer' } }))
  const long = wrap({ contacts, messages })
  // The last customer writes once more, in a webhook that comes later.
  const from = customers.at(-1)
  const others = [
    wrap({ messages: [text('short')] }),
    wrap({ messages: [{ ...text(`third ${from}`), from }] }),
  ]
  for (const body of [long, ...others]) expect((await post(body)).status).toBe(200)
  // All of it may take a slow machine longer than one wait: it has to go on.
  for (let done = 0; done < messages.length; done += 1_000) {
    await expect.poll(() => order.length).toBeGreaterThan(done)
  }
  await idle()
  // The long one's four, and one of each other.
  expect(state.most).toBeLessThanOrEqual(6)
  expect((await eventOf(long))?.items).toHaveLength(20_000)
  expect(order.indexOf('short')).toBeLessThan(10_000)
  for (const number of [customers[0], from]) {
    const own = order.filter((name) => name.endsWith(` ${number}`))
    expect(own.slice(0, 2)).toEqual([`first ${number}`, `second ${number}`])
  }
  expect(order.indexOf(`third ${from}`)).toBeGreaterThan(order.indexOf(`second ${from}`))
})
