import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
} from 'vitest'
import { epochHeader } from '../../schema/api/wire.ts'
import { linkServers } from '../cluster/link-servers.ts'
import { createLog } from '../lib/log.ts'
import { createStorage, type Storage } from '../storage/storage.ts'
import { startCouch, type TestCouch } from '../testing/couch/start-couch.ts'
import { startLosingProxy } from '../testing/couch/start-losing-proxy.ts'
import { propose, writeMessage } from '../testing/open-test-acceptance.ts'
import { startRedis, type TestRedis } from '../testing/start-redis.ts'
import { startTestApp } from '../testing/start-test-app.ts'
import { startTestSync } from '../testing/start-test-sync.ts'
import { createEpochs } from './epochs.ts'

let [couch, redis] = [undefined as TestCouch | undefined, undefined as TestRedis | undefined]
const running = () => ({ couchdbUrl: couch?.url ?? '', redisUrl: redis?.url ?? '' })
beforeAll(async () => {
  couch = await startCouch()
  redis = await startRedis()
})
afterAll(async () => {
  await couch?.close()
  await redis?.close()
})

const errors: unknown[] = []
const onError = (error: unknown) => errors.push(error)
afterEach(() => expect(errors.splice(0)).toEqual([]))

async function openLink() {
  const log = createLog('silent', { write: () => undefined })
  const link = linkServers({ url: running().redisUrl, secret: 'of all', log })
  onTestFinished(() => link.close())
  expect(await link.waitUntilUp(20_000)).toBe(true)
  return link
}

async function openEpochs(storage: Storage, options: Partial<Parameters<typeof createEpochs>[0]>) {
  const epochs = await createEpochs({ storage, onError, ...options })
  onTestFinished(() => epochs.close())
  return epochs
}

describe.each(['LevelDB', 'CouchDB'])('epochs on %s', (kind) => {
  let storage: Storage
  beforeEach(async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'petrel-epochs-'))
    const { couchdbUrl } = running()
    storage = createStorage({ dataDir, ...(kind === 'CouchDB' && { couchdbUrl }) })
    await storage.destroy('epochs')
    onTestFinished(async () => {
      await storage.close()
      await rm(dataDir, { recursive: true })
    })
  })

  test('servers that begin at once agree, and so does whoever begins later', async () => {
    const servers = await Promise.all(Array.from({ length: 5 }, () => openEpochs(storage, {})))
    servers.push(await openEpochs(storage, {}))
    expect(new Set(servers.map((epochs) => epochs.of('ann'))).size).toBe(1)
  })

  test('a restore is taken note of once, by its name', async () => {
    const before = (await openEpochs(storage, {})).of('ann')
    const told: unknown[] = []
    const onRestored = (lost: unknown) => told.push(lost)
    const restoring = { restored: 'in May', onRestored }
    const servers = await Promise.all([1, 2, 3].map(() => openEpochs(storage, restoring)))
    expect(told).toHaveLength(1)
    expect(new Set(servers.map((epochs) => epochs.of('ann'))).size).toBe(1)
    expect(servers[0]?.of('ann')).not.toBe(before)
    expect((await openEpochs(storage, {})).of('ann')).toBe(servers[0]?.of('ann'))
    const again = await openEpochs(storage, { ...restoring, restored: 'in June' })
    expect(again.of('ann')).not.toBe(servers[0]?.of('ann'))
    expect(again.listLost('ann')).toHaveLength(2)
    const june = again.of('ann')
    const once = await openEpochs(storage, restoring)
    expect([once.of('ann'), once.listLost('ann').length]).toEqual([june, 2])
  })

  test('what a restore has lost is taken back for some weeks', async () => {
    const epochs = await openEpochs(storage, { restored: 'in May' })
    expect(epochs.listLost('ann')).toHaveLength(1)
    const days = (count: number) => () => Date.now() + count * 86_400_000
    expect((await openEpochs(storage, { now: days(50) })).listLost('ann')).toHaveLength(1)
    const late = await openEpochs(storage, { now: days(60) })
    expect([late.listLost('ann'), late.of('ann')]).toEqual([[], epochs.of('ann')])
  })

  test('nothing is kept of somebody who leaves', async () => {
    const epochs = await openEpochs(storage, {})
    await epochs.raise('ann', epochs.of('ann'))
    await epochs.forget('ann')
    expect(epochs.of('ann')).toBe(epochs.installation())
    const stored = await storage.database('epochs').range({})
    expect(stored.map(({ _id }) => _id)).toEqual(['installation'])
  })

  test('P12: somebody’s epoch rises with the present one in hand, for them alone', async () => {
    const epochs = await openEpochs(storage, { now: () => 5_000 })
    const [ann, ben] = [epochs.of('ann'), epochs.of('ben')]
    for (const told of [undefined, 'another', `${ann}.x`]) await epochs.raise('ann', told)
    expect(epochs.of('ann')).toBe(ann)
    // Two requests of one device: only one tells it to begin again.
    await Promise.all([epochs.raise('ann', ann), epochs.raise('ann', ann)])
    const raised = epochs.of('ann')
    expect(raised).not.toBe(ann)
    expect([epochs.of('ben'), epochs.listLost('ben')]).toEqual([ben, []])
    expect((await openEpochs(storage, {})).of('ann')).toBe(raised)
  })
})

test('what one server raises the others hear', async () => {
  const { couchdbUrl } = running()
  const storage = createStorage({ dataDir: '', couchdbUrl })
  onTestFinished(() => storage.close())
  const proxy = await startLosingProxy(couchdbUrl)
  onTestFinished(proxy.close)
  const others = createStorage({ dataDir: '', couchdbUrl: proxy.url })
  onTestFinished(() => others.close())
  const open = async (at: Storage) => openEpochs(at, { isShared: true, link: await openLink() })
  const [one, two] = [await open(storage), await open(others)]
  const before = two.of('ann')
  proxy.takeRequests()
  await one.raise('ann', one.of('ann'))
  await expect.poll(() => two.of('ann')).toBe(one.of('ann'))
  expect(one.of('ann')).not.toBe(before)
  // For one person: rereads nobody else's.
  expect(proxy.takeRequests()).toEqual(['POST /epochs/_all_docs?include_docs=true'])
  await one.forget('ann')
  await expect.poll(() => two.of('ann')).toBe(two.installation())
})

test('an account that is deleted leaves no epoch behind', async () => {
  const app = await startTestApp()
  onTestFinished(() => app.close())
  const ann = await app.register('Ann')
  const { token, userId } = ann
  const ask = async (headers: Record<string, string> = {}) => {
    const path = '/sync/messages/_changes?since=999999'
    return (await app.call('GET', path, { token, headers })).headers.get(epochHeader) ?? ''
  }
  const epoch = await ask()
  expect(await ask({ [epochHeader]: epoch })).not.toBe(epoch)
  const list = (storage: Storage) => storage.database('epochs').range({})
  expect((await app.whileStopped(list)).map(({ _id }) => _id).sort()).toContain(userId)
  expect((await app.leave(ann)).status).toBe(200)
  expect((await app.whileStopped(list)).map(({ _id }) => _id)).toEqual(['installation'])
})

test('a restore has lost what came after the newest message that is there', async () => {
  const t = await startTestSync()
  onTestFinished(() => t.close())
  const message = writeMessage({ senderId: t.ann, recipientId: t.ben })
  await t.acceptance.acceptMessages({ actorId: t.ann, proposals: [propose(message)] })
  const after = (await t.readMessage(t.ann, message._id))?.orderedAt ?? 0
  const upTo = after + 1_000
  const epochs = await openEpochs(t.storage, { restored: 'in May', now: () => upTo })
  expect(epochs.listLost(t.ben)).toEqual([{ after, upTo }])
})
