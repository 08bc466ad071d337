import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { must } from '../../../schema/helpers/assertions.ts'
import { startCouch } from '../../../sync-server/testing/couch/start-couch.ts'
import { startBuiltServer } from '../browser/start-built-server.ts'
import { pushMessages } from '../server/server-accounts.ts'
import type { Figure } from './figures/figure.ts'
import { createCheapAccounts } from './load/cheap-accounts.ts'

const run = promisify(execFile)
const program = fileURLToPath(new URL('../../../dist/server/main.js', import.meta.url))
const peopleCount = 200
const messagesCount = 10_000

/** What each task of an operator takes, on a club of 200 with 20,000 copies of messages. */
export async function measure(): Promise<Figure[]> {
  const server = await startBuiltServer({ env: { REGISTRATION: 'invite', LOG_LEVEL: 'silent' } })
  const beside = await mkdtemp(join(tmpdir(), 'petrel-operator-'))
  const figures: Figure[] = []
  await server.kill()
  const people = await createCheapAccounts(server.dataDir, peopleCount)
  const [ann, ben] = [must(people[0], 'Ann'), must(people[1], 'Ben')]

  async function time<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
    const startedAt = performance.now()
    const result = await work()
    const value = performance.now() - startedAt
    // Long steps report their progress.
    console.error(`${what}: ${(value / 1000).toFixed(1)} s`)
    figures.push({ what, value, unit: 'ms' })
    return result
  }
  const env = { DATA_DIR: server.dataDir, PORT: String(server.port) }
  /** @returns what it said, as JSON */
  const petrel = (words: string, { given = {} as Record<string, string>, as = words } = {}) =>
    time(`petrel ${as}`, async () => {
      const args = [program, ...words.split(' '), '--json']
      const { stdout } = await run(process.execPath, args, { env: { ...env, ...given } })
      return JSON.parse(stdout)
    })

  await time('start, until it answers', () => server.start())
  await pushMessages({
    origin: server.origin,
    author: ann,
    recipientId: ben.userId,
    count: messagesCount,
  })
  for (const words of [
    'people list',
    'people show person7',
    'people disable person7',
    'people enable person7',
    'people sign-out person7',
    'people quota person7 100',
    'people rename person7 person-seven',
    'people delete person8 --yes',
    'reset-password person9',
    'grant person9',
    'revoke person9',
    'invites create --uses 5',
    'invites list',
    'announce hello',
    'health',
    'audit',
  ]) {
    await petrel(`admin ${words}`)
  }
  const reported = await fetch(`${server.origin}/api/users/${ben.userId}/report`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${ann.token}` },
    body: JSON.stringify({ reason: 'writes to everybody' }),
  })
  if (!reported.ok) throw new Error(await reported.text())
  const { reports } = await petrel('admin reports list')
  const id = must(reports[0], 'a report').id as string
  await petrel(`admin reports show ${id}`, { as: 'admin reports show' })
  await petrel(`admin reports warn ${id}`, { as: 'admin reports warn' })
  await petrel(`export-person person0 ${join(beside, 'export.json')}`, { as: 'export-person' })
  await petrel(`backup ${beside}`, { as: 'backup, while it runs' })
  await petrel('doctor', { as: 'doctor, while it runs' })
  await petrel('doctor --upgrade')
  await server.kill()
  const backup = must(
    (await readdir(beside)).find((name) => name.endsWith('.backup')),
    'a backup',
  )
  await petrel(`doctor ${join(beside, backup)}`, { as: 'doctor of a backup' })
  await petrel(`restore ${join(beside, backup)}`, { as: 'restore' })
  const couch = await startCouch()
  const onCouch = { COUCHDB_URL: couch.url, JWT_SECRET: 'a secret of the benchmark, long enough' }
  await petrel(`move --to ${couch.url}`, { as: 'move to a CouchDB (pouchdb-server)' })
  const back = join(beside, 'data')
  await petrel(`move --to ${back}`, { as: 'move back to a folder', given: onCouch })
  await couch.close()
  await server.close()
  await rm(beside, { recursive: true, force: true })
  return figures
}
