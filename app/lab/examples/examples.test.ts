import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startCouch, type TestCouch } from '../../../sync-server/testing/couch/start-couch.ts'
import { type Choice, findFailure, type HistoriesOptions } from '../kit/histories.ts'
import { allEqual, nothingLost, nothingTwice, noUpdateLost } from '../kit/invariants.ts'
import type { OpenedApp, World } from '../kit/lab.ts'
import { createNotesServer, openOutboxNotes } from './dexie-outbox.ts'
import { openPouchTodos } from './pouchdb-todos.ts'
import { lastWriterWins, mergeFields, openRxdbTodos } from './rxdb-todos.ts'

const stepsMax = 6
/** Each begins with one that shows the fault. */
const seedsOf = { rxdb: [1, 2, 3], merge: [10, 16, 3], pouch: [1, 2, 3], outbox: [1, 2, 3] }

let couch: TestCouch
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sync-lab-'))
  couch = await startCouch()
})
afterAll(async () => {
  await couch.close()
  await rm(folder, { recursive: true, force: true })
})

type RxdbTodos = Awaited<ReturnType<typeof openRxdbTodos>>

/** With one thing to do in it, which every device finds there. */
async function withDatabase(world: World) {
  const put = (path: string, body?: object) =>
    fetch(`${couch.url}${world.lab}${path}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    })
  await put('')
  await put('/milk', { title: 'milk', done: false })
  return world
}

/** Shortened by up to sixty histories, one after the other, each as long as its answers take. */
async function expectFound<App extends OpenedApp>(options: HistoriesOptions<App>) {
  const failure = await findFailure(options)
  expect(failure?.steps.length).toBeLessThanOrEqual(stepsMax)
  return failure
}

/** No action waits for a network: one that takes long is on a busy machine, and its write counts all the same. */
const always = { settlesSteps: true, steps: 10, patienceMs: 300, actionMs: 20_000 }
/** Longer than any machine takes that is busy: what is kept costs nothing of it. */
const kept = { patienceMs: 3_000 }
const only = (...names: readonly string[]) =>
  Object.fromEntries(
    [
      'offline',
      'online',
      'lose-answers',
      'lose-requests',
      'cut-answers',
      'delay',
      'duplicate',
      'reorder',
      'refuse',
      'cut-sockets',
      'pause',
    ].map((name) => [name, names.includes(name) ? 6 : 0]),
  )

test('RxDB 17.6.0: what others wrote while a device was offline does not come to it', async () => {
  const lists = {
    ...always,
    server: couch.url,
    weights: only('offline', 'online'),
    actions: { add: (app: RxdbTodos, { id }: Choice) => app.add(id, 'milk') },
  }
  const open = (isResynced: boolean) => async (world: World) =>
    openRxdbTodos(await withDatabase(world), { isResynced })
  const failure = await expectFound({ ...lists, seeds: seedsOf.rxdb, open: open(false) })
  expect(failure?.broken.join()).toMatch(/is lost on (phone|laptop)/)
  const again = { ...lists, seeds: [failure?.seed ?? 0], replay: failure?.steps ?? [] }
  // For good, with the same steps, and not with what works around it.
  expect((await findFailure({ ...again, open: open(false) }))?.broken).toEqual(failure?.broken)
  expect(await findFailure({ ...again, ...kept, open: open(true) })).toBeUndefined()
  expect(
    await findFailure({ ...lists, ...kept, seeds: seedsOf.rxdb, open: open(true) }),
  ).toBeUndefined()
}, 400_000)

test('a list on RxDB whose last writer wins loses the change of another field', async () => {
  const lists = {
    ...always,
    server: couch.url,
    seeds: seedsOf.merge,
    weights: only('offline', 'online'),
    invariants: [allEqual, nothingLost, noUpdateLost],
    actions: {
      rename: (app: RxdbTodos, { id }: Choice) => app.rename('milk', `renamed ${id}`),
      check: (app: RxdbTodos) => app.check('milk'),
    },
  }
  const open = (isMerging: boolean) => async (world: World) => {
    const app = await openRxdbTodos(await withDatabase(world), {
      isResynced: true,
      conflictHandler: isMerging ? mergeFields : lastWriterWins,
    })
    // Nothing waits for a request that only reads: who changes what has not come yet changes nothing.
    await vi.waitUntil(async () => 'milk' in (await app.read()), { timeout: 20_000 })
    return app
  }
  const failure = await expectFound({ ...lists, open: open(false) })
  expect(failure?.broken.join()).toContain('changed')
  expect(await findFailure({ ...lists, ...kept, open: open(true) })).toBeUndefined()
}, 400_000)

test('a list on PouchDB that does not ask to try again is behind after its first error', async () => {
  const lists = {
    ...always,
    server: couch.url,
    seeds: seedsOf.pouch,
    weights: only('offline', 'online', 'refuse'),
    actions: {
      add: (app: ReturnType<typeof openPouchTodos>, { id }: Choice) => app.add(id, 'milk'),
    },
  }
  const open = (retry: boolean) => async (world: World) =>
    openPouchTodos(await withDatabase(world), { retry, folder })
  const failure = await expectFound({ ...lists, open: open(false) })
  // All that a device lacks, or what was there before it came.
  expect(failure?.broken.join()).toMatch(/is lost on|has nothing/)
  expect(await findFailure({ ...lists, ...kept, open: open(true) })).toBeUndefined()
}, 400_000)

test('an outbox on Dexie sends twice what was taken and not answered', async () => {
  const notes = {
    ...always,
    serve: createNotesServer,
    seeds: seedsOf.outbox,
    weights: only('lose-answers', 'lose-requests', 'refuse'),
    invariants: [allEqual, nothingTwice(({ text }: { text: string }) => text)],
    actions: {
      write: (app: Awaited<ReturnType<typeof openOutboxNotes>>, { id }: Choice) =>
        app.write(id, `note of ${id}`),
    },
  }
  const open = (hasKey: boolean) => (world: World) => openOutboxNotes(world, { hasKey })
  const failure = await expectFound({ ...notes, open: open(false) })
  expect(failure?.broken.join()).toMatch(/note of .* is \d times/)
  expect(await findFailure({ ...notes, ...kept, open: open(true) })).toBeUndefined()
}, 400_000)
