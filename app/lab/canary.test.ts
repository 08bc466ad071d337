import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import { Redis } from 'ioredis'
import { v7 as createId } from 'uuid'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createLog } from '../../sync-server/lib/log.ts'
import { startCouch } from '../../sync-server/testing/couch/start-couch.ts'
import { startPushService } from '../../sync-server/testing/start-push-service.ts'
import { startRedis } from '../../sync-server/testing/start-redis.ts'
import { createInbox } from '../database/storage/inbox.ts'
import { openDeviceStore } from '../database/storage/open-device-store.ts'
import { recordSignedIn } from '../offline/record-signed-in.ts'
import { sendCommands } from '../offline/worker/send-commands.ts'
import type { WorkerScope } from '../offline/worker/worker-scope.ts'
import { createLab } from './create-lab.ts'
import { enterEverywhere, takeStep } from './take-step.ts'

/** Words that stand nowhere else, each in a place of its own; long ones, which no random bytes contain. */
const canaries = {
  text: 'albatrossdiomedea',
  edit: 'bitternbotaurus',
  offline: 'cormorantphalacrocorax',
  caption: 'dunlincalidris',
  fileName: 'eidersomateria',
  file: 'fulmar'.repeat(20_000),
  reply: 'gannetmorusbassanus',
  refused: 'hoopoeupupaepops',
  later: 'ibisbillibidorhyncha',
  answered: 'jacanametopidius',
  reaction: '🦩',
}
/** Any four bytes of the file are as telling as the whole. */
const wanted = { ...canaries, file: 'fulmarfulmar' }

/** A CouchDB and a Redis, and all that a server says to them. */
async function openShared(seen: { redis: string[] }) {
  const [couch, redis] = await Promise.all([startCouch({ isOnDisk: true }), startRedis()])
  // Only its monitor connects: ioredis takes a command that another connection gives at that moment for its own answer.
  const listener = new Redis(redis.url, { lazyConnect: true })
  onTestFinished(async () => {
    listener.disconnect()
    await Promise.all([couch.close(), redis.close()])
  })
  const monitor = await listener.monitor()
  monitor.on('monitor', (_time: string, args: string[]) => seen.redis.push(args.join(' ')))
  onTestFinished(() => monitor.disconnect())
  async function readCouch(): Promise<Buffer[]> {
    const read = async (path: string) => await (await fetch(`${couch.url}${path}`)).text()
    const names: string[] = JSON.parse(await read('_all_dbs'))
    const query = '/_all_docs?include_docs=true&attachments=true'
    return await Promise.all(
      names.map(async (name) => Buffer.from(await read(encodeURIComponent(name) + query))),
    )
  }
  return { couch, settings: { REDIS_URL: redis.url }, readCouch }
}

/** A dozen settlings, on a CouchDB: two minutes were too short on a machine that does ten other things. */
const patienceMs = 400_000

type Watched = Awaited<ReturnType<typeof openWatchedLab>>
type Storage = 'LevelDB' | 'CouchDB and Redis'

/**
 * Two people with keys, and all that anybody but they gets to see: what their devices send and
 * hear, what the server stores, logs and pushes.
 */
async function openWatchedLab(storage: Storage) {
  const seen = { log: [] as string[], wire: [] as string[], redis: [] as string[] }
  const shared = storage === 'LevelDB' ? undefined : await openShared(seen)
  const service = await startPushService()
  onTestFinished(() => service.close())
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      seen.log.push(chunk.toString())
      done()
    },
  })
  const lab = await createLab({
    ...(shared && { couch: shared.couch, settings: shared.settings }),
    overrides: { log: createLog('trace', destination), isLoopbackPushAllowed: true },
  })
  onTestFinished(() => lab.close())
  const ann = await lab.person('ann', { hasKeys: true })
  const ben = await lab.person('ben', { hasKeys: true })
  async function call(token: string, path: string, init: RequestInit = {}) {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const response = await fetch(`${lab.server.url}/api${path}`, { headers, ...init })
    return { status: response.status, text: await response.text() }
  }
  /** Everything that anybody else holds, by its place. */
  async function search(words: Record<string, string | Uint8Array>): Promise<string[]> {
    const answers = await Promise.all(
      [ann, ben].flatMap(({ token, userId }) => {
        const other = userId === ann.userId ? ben : ann
        const paths = ['/users/me/export', `/messages/${other.userId}`, '/conversations']
        return paths.map(async (path) => (await call(token, path)).text)
      }),
    )
    const documents = await shared?.readCouch()
    await lab.server.kill()
    const places: [string, Buffer[]][] = [
      ['the log', seen.log.map((line) => Buffer.from(line))],
      ['the wire', seen.wire.map((line) => Buffer.from(line))],
      ['pushes', [Buffer.from(JSON.stringify(service.taken))]],
      ['answers of the API', answers.map((text) => Buffer.from(text))],
    ]
    const files = await readFiles(lab.server.dataDir)
    if (!shared) places.push(['DATA_DIR', files])
    else {
      expect(files).toEqual([])
      // While it runs it may remove a file that was just listed.
      await shared.couch.stop()
      places.push(['CouchDB', documents ?? []], ['its disk', await readFiles(shared.couch.folder)])
      places.push(['Redis', seen.redis.map((line) => Buffer.from(line))])
    }
    for (const [name, parts] of places) {
      const bytes = parts.reduce((sum, { length }) => sum + length, 0)
      process.stdout.write(`searched ${name}: ${parts.length} parts, ${bytes} bytes\n`)
      // A search of nothing finds nothing.
      expect(bytes, name).toBeGreaterThan(100)
    }
    return places.flatMap(([place, parts]) =>
      Object.entries(words).flatMap(([what, word]) =>
        parts.some((part) => holds(part, word)) ? [`${what} in ${place}`] : [],
      ),
    )
  }
  return { lab, ann, ben, service, seen, call, search }
}

/**
 * The app's own service worker, with what the app left for it: Ben's sign-in and his keys. It asks for Ann's keys
 * itself. What it keeps for the app is on the device.
 */
async function answerInNotification(
  { lab, ann, ben, seen }: Pick<Watched, 'lab' | 'ann' | 'ben' | 'seen'>,
  text: string,
) {
  const { userId, token } = ben
  const indexedDB = new IDBFactory()
  vi.stubGlobal('indexedDB', indexedDB)
  const reach = globalThis.fetch
  vi.stubGlobal('fetch', async (...asked: Parameters<typeof fetch>) => {
    const request = new Request(...asked)
    const told = [request.url, ...request.headers, await request.clone().text()]
    const response = await reach(request)
    seen.wire.push([...told, await response.clone().text()].join(' '))
    return response
  })
  try {
    await recordSignedIn({ userId, token })
    const store = await openDeviceStore({ name: `petrel-${userId}`, indexedDB, IDBKeyRange })
    for (const keys of await ben.listKeys()) await store.keyring.put({ _id: keys.number, keys })
    store.close()
    const inbox = createInbox({ name: `petrel-${userId}` })
    await inbox.addCommand({ id: createId(), kind: 'reply', peerId: ann.userId, text, at: 1 })
    const scope = { location: { origin: lab.server.url } } as Pick<WorkerScope, 'location'>
    expect(await sendCommands(scope, { userId })).toBe('done')
    expect(await inbox.listCommands()).toEqual([])
  } finally {
    vi.unstubAllGlobals()
  }
}

/** As it is, and as base64 and escapes would carry it. */
function holds(part: Buffer, word: string | Uint8Array): boolean {
  if (typeof word !== 'string') {
    const bytes = Buffer.from(word)
    const written = ['base64', 'base64url', 'hex'] as const
    return part.includes(bytes) || written.some((form) => part.includes(bytes.toString(form)))
  }
  const escaped = JSON.stringify(word).slice(1, -1)
  const encoded = [0, 1, 2].map((shift) =>
    Buffer.from(`${' '.repeat(shift)}${word}`)
      .toString('base64')
      .slice(shift === 0 ? 0 : 4)
      .replace(/=+$/, '')
      .slice(0, -2),
  )
  // Four letters of base64 stand in any large file.
  const telling = encoded.filter((form) => form.length >= 10)
  const forms = [word, escaped, encodeURIComponent(word), ...telling]
  return forms.some((form) => part.includes(form))
}

async function readFiles(folder: string): Promise<Buffer[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  return await Promise.all(files.map((file) => readFile(join(file.parentPath, file.name))))
}

test.each<Storage>(['LevelDB', 'CouchDB and Redis'])(
  'P13: nobody but two people with keys holds a word, a file, a name or a key of theirs (%s)',
  async (storage) => {
    const watched = await openWatchedLab(storage)
    const { lab, ann, ben, service, seen, call, search } = watched
    const { text } = await call(ben.token, '/users/me/push')
    const { publicKey } = JSON.parse(text)
    const body = JSON.stringify(service.subscribe(publicKey))
    expect((await call(ben.token, '/users/me/push', { method: 'PUT', body })).status).toBe(200)

    const [phone, laptop] = [await ann.device(), await ann.device()]
    for (const { network } of [phone, laptop]) network.record((told) => seen.wire.push(told))
    const id = await phone.say(ben, canaries.text)
    await lab.settle()
    // Ben's only device is away: the server pushes.
    await expect.poll(() => service.taken.length, { timeout: 20_000 }).toBeGreaterThan(0)
    const tablet = await ben.device()
    tablet.network.record((told) => seen.wire.push(told))
    await phone.messenger.commands.editMessage(id, canaries.edit)
    laptop.network.goOffline()
    await laptop.say(ben, canaries.offline)
    await lab.settle()
    laptop.network.goOnline()
    await phone.sendFile(ben, `${canaries.caption} ${canaries.fileName}`, canaries.file)
    // Where sockets are blocked all of it goes as requests.
    tablet.network.blockSockets()
    await tablet.messenger.commands.sendMessage({
      peerId: ann.userId,
      content: canaries.reply,
      replyTo: id,
    })
    await tablet.messenger.commands.setReaction(id, canaries.reaction)
    await lab.settle()
    // An edit that the server refuses comes back to its author.
    phone.network.goOffline()
    laptop.network.goOffline()
    await phone.messenger.commands.editMessage(id, canaries.refused)
    await laptop.messenger.commands.deleteMessage(id)
    laptop.network.goOnline()
    await lab.settle()
    phone.network.goOnline()
    await lab.settle()
    // A device that is linked by its code, one that forgot its keys, and another password.
    const linked = await ann.device({ way: 'code' })
    await ann.device({ way: 'recovery' })
    await linked.access.changePassword()
    await ben.makeKeys()
    // The operator makes a link for a password that Ann forgot; a device lost its keys by then.
    await takeStep(lab, { do: 'reset-password', device: 0, pick: 1 })
    expect(await linked.access.isEnded()).toBe(true)
    await enterEverywhere(lab)
    await lab.settle({ areFaultsOver: true })
    expect((await linked.read(ben)).map(({ content }) => content)).toContain(canaries.reply)
    await linked.say(ben, canaries.later)
    // Also until what came locked is opened.
    await lab.settle({ areFaultsOver: true })
    await lab.expectConverged()

    const shown = await tablet.read(ann)
    const filed = shown.find(({ file }) => file !== undefined)
    expect(filed).toMatchObject({ file: { name: expect.stringContaining(canaries.fileName) } })
    const file = await tablet.messenger.files.load(filed ?? { _id: '' })
    expect(await file.text()).toBe(canaries.file)
    // Ben's app is closed: its service worker sends what he answers in a notification.
    await answerInNotification(watched, canaries.answered)
    await lab.settle()
    // What came before Ben's key is opened once that is there.
    await expect
      .poll(async () => (await linked.read(ben)).at(-1))
      .toMatchObject({ content: canaries.answered, sealed: expect.any(String) })
    expect(shown.map(({ content }) => content).sort()).toEqual([
      '',
      canaries.offline,
      `${canaries.caption} ${canaries.fileName}`,
      canaries.reply,
      canaries.later,
    ])
    expect((await phone.read(ben))[0]?.refused?.content).toBe(canaries.refused)
    const seeds = [...(await ann.listKeys()), ...(await ben.listKeys())].map(({ seed }) => seed)
    expect(seeds).toHaveLength(3)
    const named = Object.fromEntries(seeds.map((seed, at) => [`seed ${at}`, seed]))
    // Of a change, and of the link.
    const password = "'s password, change"
    expect(await search({ ...wanted, ...named, password })).toEqual([])
  },
  patienceMs,
)

test.each<Storage>(['LevelDB', 'CouchDB and Redis'])(
  'P13: a single leak is found wherever it lies (%s)',
  async (storage) => {
    const { lab, ann, ben, seen, service, call, search } = await openWatchedLab(storage)
    const { text } = await call(ben.token, '/users/me/push')
    const body = JSON.stringify(service.subscribe(JSON.parse(text).publicKey))
    await call(ben.token, '/users/me/push', { method: 'PUT', body })
    const phone = await ann.device()
    phone.network.record((told) => seen.wire.push(told))
    await phone.say(ben, 'the only word that is sealed')
    await lab.settle()
    // A script without keys.
    const plain = JSON.stringify({ recipientId: ben.userId, content: canaries.text })
    expect((await call(ann.token, '/messages', { method: 'POST', body: plain })).status).toBe(201)
    // The first message may have been pushed twice: a count says nothing of the second one.
    await expect.poll(() => JSON.stringify(service.taken)).toContain(canaries.text)
    await lab.settle()
    expect(await search({ text: canaries.text, sealed: 'the only word that is sealed' })).toEqual([
      'text in the wire',
      'text in pushes',
      'text in answers of the API',
      ...(storage === 'LevelDB' ? ['text in DATA_DIR'] : ['text in CouchDB', 'text in its disk']),
    ])
  },
  patienceMs,
)
