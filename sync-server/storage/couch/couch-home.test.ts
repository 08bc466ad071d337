import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { findFreePort } from '../../lib/testing/find-free-port.ts'
import { startLikeCouch } from '../../testing/couch/start-like-couch.ts'
import { startLosingProxy } from '../../testing/couch/start-losing-proxy.ts'
import { StorageUnavailable } from '../documents/storage-errors.ts'
import { createStorage, type Storage } from '../storage.ts'
import type { TimeLimits } from './answer-in-time.ts'
import { describeCouches } from './couches.contract.ts'

const opened: Storage[] = []
function open(couchdbUrl: string, couchLimits = {}) {
  const storage = createStorage({ dataDir: '', couchdbUrl, couchLimits })
  opened.push(storage)
  return storage
}
afterEach(async () => {
  await Promise.all(opened.splice(0).map((storage) => storage.close()))
})

describeCouches('a CouchDB that falls silent', (couch) => {
  async function openBehindProxy(couchLimits: Partial<TimeLimits>) {
    const proxy = await startLosingProxy(couch.url)
    onTestFinished(proxy.close)
    const patient = open(couch.url)
    await patient.destroy('notes')
    await patient.database('notes').insert({ _id: 'first' })
    const storage = open(proxy.url, couchLimits)
    return { proxy, storage, notes: storage.database('notes') }
  }

  test.each(['silence', 'stall'] as const)(
    'P12: blocks nobody for good: what waits is told so, and works once it speaks again (%s)',
    async (fault) => {
      const { proxy, storage, notes } = await openBehindProxy({ silentMs: 300 })
      const speakAgain = proxy[fault](/notes/)
      const refused = { name: 'StorageUnavailable', message: expect.stringContaining('silent') }
      await expect(notes.read(['first'])).rejects.toMatchObject(refused)
      await expect(notes.insert({ _id: 'second' })).rejects.toMatchObject(refused)
      await expect(notes.changes({})).rejects.toMatchObject(refused)
      await expect(notes.updateSeq()).rejects.toMatchObject(refused)
      await expect(notes.writeLocal('place', {})).rejects.toMatchObject(refused)
      await expect(storage.destroy('notes')).rejects.toMatchObject(refused)
      speakAgain()
      // A busy machine may be silent this long, too.
      const write = () =>
        notes.insert({ _id: 'third' }).then(
          () => true,
          () => false,
        )
      await expect.poll(write).toBe(true)
      expect((await open(couch.url).database('notes').read(['third'])).size).toBe(1)
    },
  )

  test('P6: updates that wait for it together are refused together, not each after a silence of its own', async () => {
    const { proxy, notes } = await openBehindProxy({ silentMs: 200 })
    const speakAgain = proxy.silence(/notes/)
    proxy.takeRequests()
    // The others wait for the first.
    const inserts = Array.from({ length: 21 }, (_, index) => notes.insert({ _id: `note ${index}` }))
    for (const one of await Promise.allSettled(inserts)) {
      expect(one).toMatchObject({ status: 'rejected', reason: { name: 'StorageUnavailable' } })
    }
    expect(proxy.takeRequests()).toHaveLength(2)
    speakAgain()
  })

  test('an answer that comes slowly and steadily is waited for', async () => {
    const { proxy, notes } = await openBehindProxy({ silentMs: 2_000 })
    proxy.slow(/_all_docs/, { forMs: 5_000 })
    expect((await notes.read(['first'])).size).toBe(1)
  })

  test('an answer that never ends is given up, however steadily it comes', async () => {
    const { proxy, notes } = await openBehindProxy({ longestMs: 900 })
    proxy.slow(/_all_docs/, { forMs: 60_000 })
    await expect(notes.read(['first'])).rejects.toThrow('has taken 0.9 s')
  })

  test('closing gives up what waits', async () => {
    const proxy = await startLosingProxy(couch.url)
    onTestFinished(proxy.close)
    const storage = createStorage({ dataDir: '', couchdbUrl: proxy.url })
    proxy.silence(/./)
    const reading = storage.database('notes').read(['first'])
    const refused = expect(reading).rejects.toThrow('storage is closed')
    storage.giveUpIn(0)
    await refused
    await storage.close()
  })
})

describe('reports an unusable CouchDB in one sentence', () => {
  const running = {} as Awaited<ReturnType<typeof startLikeCouch>>
  beforeAll(async () => {
    Object.assign(running, await startLikeCouch())
  })
  afterAll(() => running.close())

  const expectRefusal = (storage: Storage, words: string) =>
    expect(storage.ready()).rejects.toSatisfy(
      (error) => error instanceof StorageUnavailable && error.message.includes(words),
    )

  test('a wrong password is tried once, so that other servers are not locked out', async () => {
    const wrong = open(running.urlFor({ ...running.login, password: 'gess' }))
    const words = 'refuses the login: Name or password is incorrect. Set COUCHDB_URL'
    for (let i = 0; i < 10; i += 1) await expectRefusal(wrong, words)
    await expect(wrong.database('notes').read(['a'])).rejects.toThrow(words)
    expect(running.countWrongPasswords()).toBe(1)
    await open(running.url).ready()
  })

  test('a login that is missing', async () => {
    await expectRefusal(open(running.urlFor({ username: '', password: '' })), 'Authentication')
  })

  test('a login that may make no databases', async () => {
    const couch = await startLikeCouch({ isAdmin: false })
    onTestFinished(couch.close)
    await expectRefusal(open(couch.url), 'Give it a server admin’s.')
  })

  test('nothing that answers', async () => {
    const url = `http://ann:secret@127.0.0.1:${await findFreePort()}/`
    await expectRefusal(open(url), 'CouchDB cannot be reached')
    await expect(open(url).ready()).rejects.not.toThrow('secret')
  })

  test('something else that answers', async () => {
    const server = createServer((_, answer) => answer.end('<h1>It works!</h1>')).listen(0)
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    await expectRefusal(open(`http://127.0.0.1:${port}/`), 'is no CouchDB')
  })
})

describe('what CouchDB 3 does and pouchdb-server does not', () => {
  const running = {} as Awaited<ReturnType<typeof startLikeCouch>>
  beforeAll(async () => {
    Object.assign(running, await startLikeCouch())
  })
  afterAll(() => running.close())

  test('a place that it cannot read is the beginning', async () => {
    const notes = open(running.url).database('notes')
    await notes.insert({ _id: 'a' })
    for (const since of ['12-zzz', '7-g1AAAAzzzz', 57]) {
      expect((await notes.changes({ since })).results).toHaveLength(1)
    }
  })

  test('the login is in no address, and in no error', async () => {
    const proxy = await startLosingProxy(running.url)
    onTestFinished(proxy.close)
    const storage = open(proxy.url)
    await storage.ready()
    await storage.database('messages-ann').insert({ _id: 'a' })
    await storage.attachments('media').write([{ id: 'a', bytes: Buffer.from('bytes') }])
    expect((await storage.attachments('media').read('a'))?.toString()).toBe('bytes')
    expect((await storage.database('messages-ann').info()).docCount).toBe(1)
    const secrets = [running.login.password, encodeURIComponent(running.login.password)]
    proxy.breakPath(/./)
    const error = await storage
      .database('orders')
      .read(['a'])
      .catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(StorageUnavailable)
    const told = [...proxy.takeRequests(), describeDeeply(error)].join('\n')
    for (const secret of secrets) expect(told).not.toContain(secret)
    expect(told).not.toMatch(/authorization/i)
  })

  test('databases of one person have one shard, and those of all as many as it gives', async () => {
    const proxy = await startLosingProxy(running.url)
    onTestFinished(proxy.close)
    const storage = open(proxy.url)
    await storage.database('messages-ben').insert({ _id: 'a' })
    await storage.database('orders').insert({ _id: 'a' })
    const made = proxy.takeRequests().filter((request) => /^PUT \/[^/]*$/.test(request))
    expect(made).toEqual(['PUT /messages-ben?q=1', 'PUT /orders'])
  })

  test('a transaction on one database writes no other, and nothing when it tries', async () => {
    const storage = open(running.url)
    const write = (...names: string[]) =>
      storage.transact({
        parts: [{ name: 'notes', ids: ['alone'] }],
        decide: () => ({
          writes: names.map((name) => ({ name, put: [{ _id: 'alone' }] })),
          result: null,
        }),
      })
    const refused = 'a transaction on notes alone also wrote'
    await expect(write('others')).rejects.toThrow(`${refused} others`)
    await expect(write('notes', 'others')).rejects.toThrow(`${refused} others`)
    expect((await storage.database('notes').read(['alone'])).size).toBe(0)
    await write('notes')
    expect((await storage.database('notes').read(['alone'])).size).toBe(1)
  })

  test('a database that is there is used at once, and written with one request', async () => {
    const proxy = await startLosingProxy(running.url)
    onTestFinished(proxy.close)
    await open(running.url).database('orders').insert({ _id: 'b' })
    const storage = open(proxy.url)
    await storage.transact({
      parts: [{ name: 'orders', ids: ['c'], isNew: true }],
      decide: () => ({ writes: [{ name: 'orders', put: [{ _id: 'c' }] }], result: null }),
    })
    expect(proxy.takeRequests()).toEqual(['POST /orders/_bulk_docs'])
  })
})

/** Everything that a log would show of an error. */
function describeDeeply(error: unknown): string {
  if (!(error instanceof Error)) return JSON.stringify(error)
  return [error.stack, JSON.stringify(error), describeDeeply(error.cause ?? '')].join('\n')
}
