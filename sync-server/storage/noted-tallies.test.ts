import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { startCouch, type TestCouch } from '../testing/couch/start-couch.ts'
import { startLosingProxy } from '../testing/couch/start-losing-proxy.ts'
import { createCouchHome } from './couch/couch-home.ts'
import { createSignals } from './documents/signals.ts'
import { createNotedTallies } from './noted-tallies.ts'

const running = {} as { couch: TestCouch }
beforeAll(async () => {
  running.couch = await startCouch()
})
afterAll(() => running.couch.close())

const names = ['notes-1', 'notes-2', 'notes-3', 'notes-4']
beforeEach(async () => {
  const server = openServer()
  for (const name of names) await server.destroy(name)
})

function openServer(couchdbUrl = running.couch.url, noteEveryMs = 20) {
  const errors: unknown[] = []
  const home = createCouchHome({ couchdbUrl, signals: createSignals() })
  const server = createNotedTallies(home, (error) => errors.push(error), { noteEveryMs })
  onTestFinished(() => server.close())
  const add = async (name: string, tally: number) => {
    const _id = crypto.randomUUID()
    const parts = [{ name, ids: [_id] }]
    const writes = [{ name, put: [{ _id }], tally }]
    await server.transact({ parts, decide: () => ({ writes, result: undefined }) })
  }
  return { ...server, errors, add }
}

/** What a newly started server reads. */
async function readAll() {
  const server = openServer()
  const tallies = await Promise.all(names.map((name) => server.readTally(name)))
  return tallies
}

test('what several servers note at once is added once', async () => {
  const servers = [1, 2, 3].map(() => openServer())
  for (let round = 0; round < 8; round += 1) {
    await Promise.all(
      servers.flatMap((server) => names.map((name) => server.add(name, round < 4 ? 100 : -10))),
    )
  }
  await Promise.all(servers.map((server) => server.close()))
  expect(await readAll()).toEqual(names.map(() => 3 * (400 - 40)))
})

test('a note whose answer was lost is added once, and what comes after it too', async () => {
  const proxy = await startLosingProxy(running.couch.url)
  onTestFinished(proxy.close)
  const server = openServer(proxy.url)
  proxy.loseAnswerTo(/^POST \/tallies\/_bulk_docs/)
  for (const name of names) await server.add(name, 100)
  await expect.poll(() => server.errors.length).toBeGreaterThan(0)
  for (const name of names) await server.add(name, 7)
  expect(await server.readTally('notes-1')).toBe(107)
  await expect.poll(readAll).toEqual(names.map(() => 107))
  expect(await server.readTally('notes-1')).toBe(107)
  await server.close()
  expect(await readAll()).toEqual(names.map(() => 107))
})

test('a database that is removed leaves no tally behind', async () => {
  const server = openServer()
  for (const name of names) await server.add(name, 100)
  await expect.poll(readAll).toEqual(names.map(() => 100))
  for (const name of names) {
    await server.add(name, 5)
    await server.destroy(name)
  }
  await server.close()
  const url = new URL('tallies/_all_docs', running.couch.url)
  expect(await (await fetch(url)).json()).toMatchObject({ rows: [] })
})
