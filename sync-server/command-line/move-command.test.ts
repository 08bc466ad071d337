import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createStorage } from '../storage/storage.ts'
import { startLikeCouch } from '../testing/couch/start-like-couch.ts'
import { startLosingProxy } from '../testing/couch/start-losing-proxy.ts'
import {
  buildServer,
  endProcess,
  nameDataDir,
  startServerProcess,
} from '../testing/open-test-process.ts'
import { runPetrel } from '../testing/run-petrel.ts'

async function ask(url: string, path: string, given: { token?: string; body?: unknown } = {}) {
  const { token, body } = given
  const answer = await fetch(`${url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token && { authorization: `Bearer ${token}` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: answer.status, body: await answer.json().catch(() => undefined) }
}

async function register(url: string, username: string) {
  const given = { username, email: `${username}@example.org`, password: 'a secret' }
  const { body } = await ask(url, '/api/auth/register', { body: given })
  return { token: body.token as string, userId: body.user._id as string }
}

/** Each document with its revisions, by the database and its id, as any reader sees it. */
async function listDocuments(place: { dataDir: string; couchdbUrl?: string }) {
  const storage = createStorage(place)
  try {
    const found = new Map<string, unknown>()
    for (const name of await storage.list()) {
      const { results } = await storage.database(name).changes({ style: 'all_docs' })
      for (const { id } of results.filter((row) => !['leaving', 'arriving'].includes(row.id))) {
        const leaves = await storage.database(name).readOpenRevisions(id, { openRevs: 'all' })
        found.set(`${name} ${id}`, leaves)
      }
    }
    return found
  } finally {
    await storage.close()
  }
}

/** Starts a move, and kills it while it waits for an answer that is held back. */
async function killInTheMiddle(
  env: Record<string, string>,
  { to, held }: { to: string; held: { isHolding(): boolean; release(): void } },
) {
  const child = spawn(process.execPath, [...(await buildServer()), 'move', '--to', to], {
    env,
    stdio: 'ignore',
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  await expect.poll(() => child.exitCode ?? held.isHolding()).toBe(true)
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  expect(await ended).toEqual([null, 'SIGKILL'])
  held.release()
}

test('petrel move to a CouchDB and back, killed on the way: people stay signed in, and all is there', async () => {
  const couch = await startLikeCouch()
  onTestFinished(couch.close)
  const proxy = await startLosingProxy(couch.url)
  onTestFinished(proxy.close)
  const dataDir = await nameDataDir()
  const first = await startServerProcess({ dataDir })
  const [ann, ben] = [await register(first.url, 'ann'), await register(first.url, 'ben')]
  for (let index = 0; index < 60; index += 1) {
    const body = { recipientId: ben.userId, content: `hello ${index}` }
    expect((await ask(first.url, '/api/messages', { token: ann.token, body })).status).toBe(201)
  }
  const petrel = (env: Record<string, string>, ...words: string[]) =>
    runPetrel({ DATA_DIR: dataDir, PORT: new URL(first.url).port, ...env }, words)

  const busy = await petrel({}, 'move', '--to', proxy.url)
  expect([busy.code, busy.complaint]).toEqual([
    1,
    `A server works on ${dataDir}. Stop it first: nothing was changed.\n`,
  ])
  expect(await endProcess(first.child, 'SIGTERM')).toBe(0)
  expect(await petrel({}, 'move')).toMatchObject({
    code: 64,
    complaint: expect.stringContaining('Say where to'),
  })
  expect((await petrel({}, 'move', '--to', dataDir)).complaint).toContain('are in')

  const env = { DATA_DIR: dataDir, PORT: new URL(first.url).port }
  const written = proxy.hold(/messages-.*_bulk_docs/)
  await killInTheMiddle(env, { to: proxy.url, held: written })
  const early = await petrel({ COUCHDB_URL: proxy.url, JWT_SECRET: 'x'.repeat(32) }, 'start')
  expect([early.code, early.complaint]).toEqual([78, expect.stringContaining('Only a part')])

  // Until the sign was seen the move cannot end.
  const heldUp = proxy.hold(/_bulk_docs/)
  const moving = petrel({}, 'move', '--to', proxy.url, '--json')
  const isMoving = expect.stringContaining('The server is being moved')
  const callBoth = async () => {
    const page = await fetch(first.url, { headers: { accept: 'text/html' } })
    return { ...(await ask(first.url, '/api/messages')), page: await page.text() }
  }
  await expect
    .poll(() => callBoth().catch(() => undefined))
    .toMatchObject({ status: 503, body: { error: isMoving }, page: isMoving })
  heldUp.release()
  const moved = await moving
  expect([moved.code, moved.complaint]).toEqual([0, expect.anything()])
  expect(JSON.parse(moved.said).documents).toBeGreaterThan(180)
  expect(moved.said).not.toContain(new URL(proxy.url).password)
  const late = await petrel({}, 'start')
  expect([late.code, late.complaint]).toEqual([78, expect.stringContaining('were moved to')])
  expect(await listDocuments({ dataDir: '', couchdbUrl: couch.url })).toEqual(
    await listDocuments({ dataDir }),
  )

  const secret = await readFile(join(dataDir, 'jwt-secret'), 'utf8')
  const onCouch = { COUCHDB_URL: proxy.url, JWT_SECRET: secret.trim() }
  const second = await startServerProcess({ dataDir, env: onCouch })
  const page = await ask(second.url, '/sync/messages/_all_docs', { token: ben.token })
  expect(page.body.rows).toHaveLength(60)
  const more = { recipientId: ann.userId, content: 'still here' }
  const sent = await ask(second.url, '/api/messages', { token: ben.token, body: more })
  expect(sent.status).toBe(201)
  const newDir = `${dataDir}.new`
  expect((await petrel(onCouch, 'move', '--to', newDir)).complaint).toContain('A server works on')
  expect(await endProcess(second.child, 'SIGTERM')).toBe(0)

  expect((await petrel(onCouch, 'move', '--to', dataDir)).complaint).toContain('There are data in')
  const read = proxy.hold(/messages-.*_bulk_get/)
  await killInTheMiddle({ ...env, ...onCouch }, { to: newDir, held: read })
  const back = await petrel(onCouch, 'move', '--to', newDir)
  expect([back.code, back.said]).toEqual([0, expect.stringContaining('the same as before')])
  expect(await listDocuments({ dataDir: newDir })).toEqual(
    await listDocuments({ dataDir: '', couchdbUrl: couch.url }),
  )
  const third = await startServerProcess({ dataDir: newDir })
  const own = await ask(third.url, '/sync/messages/_all_docs', { token: ann.token })
  expect(own.body.rows).toHaveLength(61)
  expect(await endProcess(third.child, 'SIGTERM')).toBe(0)

  // Back to where it all began, without what came since.
  const stay = await petrel({}, 'move', '--cancel')
  expect([stay.code, stay.said]).toEqual([0, expect.stringContaining('What came since the move')])
  const fourth = await startServerProcess({ dataDir })
  expect(await endProcess(fourth.child, 'SIGTERM')).toBe(0)
})
