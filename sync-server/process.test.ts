import { readdir, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { v7 as uuidv7 } from 'uuid'
import { expect, onTestFinished, test } from 'vitest'
import type { ConversationDocument } from '../schema/conversation.ts'
import { must } from '../schema/helpers/assertions.ts'
import { createDeferred } from '../schema/helpers/deferred.ts'
import type { MessageDocument } from '../schema/message.ts'
import {
  endProcess,
  nameDataDir,
  spawnServer,
  startServerProcess,
  untilEnded,
} from './testing/open-test-process.ts'

interface Person {
  userId: string
  token: string
}

async function register(url: string, username: string): Promise<Person> {
  const answer = await fetch(`${url}/api/auth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      username,
      email: `${username}@example.org`,
      password: `${username}'s password`,
    }),
  })
  expect(answer.status).toBe(201)
  const { token, user } = await answer.json()
  return { token, userId: user._id }
}

/** @returns whether it was acknowledged */
async function send(url: string, way: { from: Person; to: Person; id: string }): Promise<boolean> {
  const answer = await fetch(`${url}/api/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${way.from.token}` },
    body: JSON.stringify({ _id: way.id, recipientId: way.to.userId, content: `hello ${way.id}` }),
  }).catch(() => undefined)
  return answer?.ok ?? false
}

async function readMessages(url: string, { token }: Person) {
  const headers = { authorization: `Bearer ${token}` }
  const answer = await fetch(`${url}/sync/messages/_all_docs?include_docs=true`, { headers })
  const { rows }: { rows: { doc: MessageDocument }[] } = await answer.json()
  return rows.map(({ doc }) => doc).sort((a, b) => a.orderedAt - b.orderedAt)
}

const [senders, roundLength] = [8, 40]

/**
 * Ann and Ben write to each other, eight messages at a time, until the server dies.
 * @param note awaited before a message counts as acknowledged
 */
function startTraffic(
  url: string,
  { ann, ben }: { ann: Person; ben: Person },
  note: () => Promise<void> = async () => undefined,
) {
  const told = { tried: new Map<string, Person>(), acknowledged: new Set<string>() }
  const state = { isOver: false }
  const enough = createDeferred()

  async function work(index: number) {
    const [from, to] = index % 2 === 0 ? [ann, ben] : [ben, ann]
    while (!state.isOver) {
      const id = uuidv7()
      told.tried.set(id, from)
      const isTaken = await send(url, { from, to, id })
      await note()
      if (isTaken) told.acknowledged.add(id)
      else state.isOver = true
      if (told.acknowledged.size === roundLength) enough.resolve()
    }
  }
  const working = Array.from({ length: senders }, (_, index) => work(index))
  return { ...told, enough: enough.promise, over: Promise.all(working) }
}

/** Nothing acknowledged is lost, nothing is half written, and both see the same order. */
async function expectWhole(
  url: string,
  { ann, ben }: { ann: Person; ben: Person },
  acknowledged: Iterable<string>,
) {
  const [anns, bens] = [await readMessages(url, ann), await readMessages(url, ben)]
  const show = ({ _id, orderedAt, content }: MessageDocument) => [_id, orderedAt, content]
  expect(bens.map(show)).toEqual(anns.map(show))
  expect(anns.map(({ _id }) => _id)).toEqual(expect.arrayContaining([...acknowledged]))
  expect(anns.filter(({ _id, content }) => content !== `hello ${_id}`)).toEqual([])
  expect(new Set(anns.map(({ orderedAt }) => orderedAt)).size).toBe(anns.length)
}

async function listModes(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const modes = entries.map(async (entry) => {
    const { mode } = await stat(join(entry.parentPath, entry.name))
    return `${entry.isDirectory() ? 'folder' : 'file'} ${(mode & 0o777).toString(8)}`
  })
  return await Promise.all(modes)
}

test('what is stored is for its owner only, whatever was written', async () => {
  const dataDir = await nameDataDir()
  const first = await startServerProcess({ dataDir })
  const ann = await register(first.url, 'Ann')
  const ben = await register(first.url, 'Ben')
  expect(await send(first.url, { from: ann, to: ben, id: uuidv7() })).toBe(true)
  const form = new FormData()
  form.set('file', new Blob(['words '.repeat(100_000)], { type: 'text/plain' }), 'words.txt')
  const headers = { authorization: `Bearer ${ann.token}` }
  const upload = { method: 'POST', headers, body: form }
  expect((await fetch(`${first.url}/api/messages/upload`, upload)).status).toBe(201)
  await endProcess(first.child, 'SIGKILL')
  const second = await startServerProcess({ dataDir })
  expect(await send(second.url, { from: ben, to: ann, id: uuidv7() })).toBe(true)
  expect((await stat(dataDir)).mode & 0o777).toBe(0o700)
  expect([...new Set(await listModes(dataDir))].sort()).toEqual(['file 600', 'folder 700'])
  expect(await endProcess(second.child, 'SIGTERM')).toBe(0)
})

test('a second server on the same folder is refused with a sentence, and the first goes on', async () => {
  const dataDir = await nameDataDir()
  const { child, url } = await startServerProcess({ dataDir })
  const ann = await register(url, 'Ann')
  const ben = await register(url, 'Ben')
  const second = await spawnServer({ dataDir })
  expect(await untilEnded(second.child)).toBe(78)
  expect(second.complaints()).toContain(`Another server works on ${join(dataDir, 'store')}.`)
  expect(second.complaints()).toContain('DATA_DIR')
  expect(await send(url, { from: ann, to: ben, id: uuidv7() })).toBe(true)
  expect(await readMessages(url, ben)).toHaveLength(1)
  expect(await endProcess(child, 'SIGTERM')).toBe(0)
})

const brokenFolders: Record<
  string,
  { breakIt: (dataDir: string) => Promise<unknown>; words: string }
> = {
  'a store without CURRENT': {
    breakIt: (dataDir) => rm(join(dataDir, 'store', 'CURRENT')),
    words: 'the file CURRENT is missing',
  },
  'half a table': {
    async breakIt(dataDir) {
      const store = join(dataDir, 'store')
      const table = (await readdir(store)).find((name) => name.endsWith('.ldb'))
      await truncate(join(store, must(table, 'a table')), 300)
    },
    words: 'as if the folder had been copied in part',
  },
  'an empty jwt-secret': {
    breakIt: (dataDir) => truncate(join(dataDir, 'jwt-secret')),
    words: 'jwt-secret must hold at least 32 characters, and has 0',
  },
  'a file in the place of DATA_DIR': {
    async breakIt(dataDir) {
      await rm(dataDir, { recursive: true })
      await writeFile(dataDir, '')
    },
    words: 'DATA_DIR must be a folder',
  },
}

test.each(Object.entries(brokenFolders))(
  '%s stops the start with words that need no stack, and the code that ends restarts',
  async (_what, { breakIt, words }) => {
    const dataDir = await nameDataDir()
    const first = await startServerProcess({ dataDir })
    await register(first.url, 'Ann')
    await endProcess(first.child, 'SIGKILL')
    // The start after a kill makes a table of the log.
    const second = await startServerProcess({ dataDir })
    await endProcess(second.child, 'SIGTERM')
    await breakIt(dataDir)
    const { child, complaints } = await spawnServer({ dataDir })
    expect(await untilEnded(child)).toBe(78)
    expect(complaints()).toContain('Petrel cannot run:')
    expect(complaints()).toContain(dataDir)
    expect(complaints()).toContain(words)
    expect(complaints()).not.toMatch(/^ +at /m)
  },
)

test('P3: a store without CURRENT is repaired by a word, and everybody is there again', async () => {
  const dataDir = await nameDataDir()
  const { child, url } = await startServerProcess({ dataDir })
  const [ann, ben] = [await register(url, 'Ann'), await register(url, 'Ben')]
  expect(await send(url, { from: ann, to: ben, id: uuidv7() })).toBe(true)
  const tooEarly = await spawnServer({ dataDir, words: ['repair'], stdout: 'pipe' })
  expect(await untilEnded(tooEarly.child)).toBe(1)
  expect(tooEarly.complaints()).toContain('Stop it before the repair.')
  await endProcess(child, 'SIGKILL')
  await rm(join(dataDir, 'store', 'CURRENT'))

  const repair = await spawnServer({ dataDir, words: ['repair'], stdout: 'pipe' })
  const said: string[] = []
  repair.child.stdout?.on('data', (text) => said.push(String(text)))
  expect(await untilEnded(repair.child)).toBe(0)
  expect(said.join('')).toContain('Nothing is lost')
  const next = await startServerProcess({ dataDir })
  expect(await readMessages(next.url, ben)).toHaveLength(1)
  expect(await endProcess(next.child, 'SIGTERM')).toBe(0)
})

test('P3: a server that is told to stop in the middle of traffic stops, and nothing acknowledged is lost', async () => {
  const dataDir = await nameDataDir()
  const { child, url } = await startServerProcess({ dataDir })
  const people = { ann: await register(url, 'Ann'), ben: await register(url, 'Ben') }
  // Requests that never end by themselves: a waiting feed, and an unfinished body.
  const headers = { authorization: `Bearer ${people.ann.token}` }
  const feed = await fetch(`${url}/sync/messages/_changes?feed=continuous&heartbeat=1000`, {
    headers,
  })
  feed.body?.pipeTo(new WritableStream()).catch(() => undefined)
  const half = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined)
  onTestFinished(() => void half.destroy())
  half.write('POST /api/auth/login HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n')
  half.write('content-type: application/json\r\n\r\n{"user')
  const traffic = startTraffic(url, people)
  await traffic.enough
  expect(await endProcess(child, 'SIGTERM')).toBe(0)
  await traffic.over

  const next = await startServerProcess({ dataDir })
  await expectWhole(next.url, people, traffic.acknowledged)
  expect(await endProcess(next.child, 'SIGTERM')).toBe(0)
})

test('P2 P3: a server that is killed under load again and again loses nothing acknowledged, and leaves nothing half', async () => {
  const dataDir = await nameDataDir()
  const people: { ann?: Person; ben?: Person } = {}
  const acknowledged = new Set<string>()
  const tried = new Map<string, Person>()
  for (let round = 0; round < 4; round += 1) {
    const { child, url } = await startServerProcess({ dataDir })
    people.ann ??= await register(url, 'Ann')
    people.ben ??= await register(url, 'Ben')
    const { ann, ben } = { ann: people.ann, ben: people.ben }
    await expectWhole(url, { ann, ben }, acknowledged)
    const traffic = startTraffic(url, { ann, ben })
    await traffic.enough
    await endProcess(child, 'SIGKILL')
    await traffic.over
    for (const id of traffic.acknowledged) acknowledged.add(id)
    for (const [id, from] of traffic.tried) tried.set(id, from)
  }
  const { child, url } = await startServerProcess({ dataDir })
  const { ann, ben } = { ann: must(people.ann, 'Ann'), ben: must(people.ben, 'Ben') }
  await expectWhole(url, { ann, ben }, acknowledged)
  // A sender without an answer retries under the same id.
  for (const [id, from] of tried) {
    if (acknowledged.has(id)) continue
    expect(await send(url, { from, to: from === ann ? ben : ann, id })).toBe(true)
  }
  await expectWhole(url, { ann, ben }, tried.keys())
  expect(await readMessages(url, ann)).toHaveLength(tried.size)
  expect(await endProcess(child, 'SIGTERM')).toBe(0)
})

interface Marks {
  deliveredUpTo: number
  readUpTo: number
}

async function askSync<Answer>(
  url: string,
  { token }: Person,
  asked: { path: string; body?: unknown },
): Promise<Answer | undefined> {
  const { path, body } = asked
  const answer = await fetch(`${url}/sync/${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }).catch(() => undefined)
  return answer?.ok ? await answer.json().catch(() => undefined) : undefined
}

/** @returns whether they were acknowledged; a conflict says that the server has them, and more */
async function raiseMarks(url: string, reader: Person, marks: Marks & { _id: string }) {
  const asked = { path: 'conversations/_bulk_docs', body: { docs: [marks] } }
  const rows = await askSync<{ ok?: boolean; error?: string }[]>(url, reader, asked)
  return rows?.[0]?.ok === true || rows?.[0]?.error === 'conflict'
}

/** A person says again and again what has arrived and what they have read of it, until the server dies. */
async function giveReceipts(
  url: string,
  { reader, author }: { reader: Person; author: Person },
  note: () => Promise<void>,
) {
  const nothing: Marks = { deliveredUpTo: 0, readUpTo: 0 }
  const told = { acknowledged: nothing, offered: nothing }
  const path = 'messages/_changes?descending=true&limit=10&include_docs=true'
  for (let turn = 0; ; turn += 1) {
    const found = await askSync<{ results: { doc: MessageDocument }[] }>(url, reader, { path })
    if (!found) return told
    const theirs = found.results.filter(({ doc }) => doc.senderId === author.userId)
    const newest = Math.max(told.offered.deliveredUpTo, ...theirs.map(({ doc }) => doc.orderedAt))
    const readUpTo = turn % 2 === 0 ? told.offered.readUpTo : newest
    told.offered = { deliveredUpTo: newest, readUpTo }
    const marks = told.offered
    if (!(await raiseMarks(url, reader, { _id: author.userId, ...marks }))) return told
    await note()
    told.acknowledged = marks
  }
}

async function readMarks(url: string, owner: Person, other: Person) {
  const path = 'conversations/_all_docs?include_docs=true'
  const found = await askSync<{ rows: { doc: ConversationDocument }[] }>(url, owner, { path })
  const { doc } = must(
    found?.rows.find((row) => row.doc._id === other.userId),
    'a conversation',
  )
  const { deliveredUpTo, readUpTo, peerDeliveredUpTo, peerReadUpTo } = doc
  return {
    own: { deliveredUpTo, readUpTo },
    peers: { deliveredUpTo: peerDeliveredUpTo, readUpTo: peerReadUpTo },
  }
}

test.each([
  ['is killed', false],
  ['loses its power', true],
] as const)(
  'P3 P11: a server that %s under receipts keeps each that it acknowledged, tells none that nobody gave, and takes the others again',
  async (_end, isPowerCut) => {
    const dataDir = await nameDataDir()
    const { child, url } = await startServerProcess({ dataDir })
    const people = { ann: await register(url, 'Ann'), ben: await register(url, 'Ben') }
    const { ann, ben } = people
    const store = join(dataDir, 'store')
    const synced = { path: '', size: 0 }
    /** What is acknowledged lies within what the log has by then: a power cut takes only what follows. */
    async function noteLog() {
      const logs = (await readdir(store)).filter((name) => name.endsWith('.log')).sort()
      const path = join(store, must(logs.at(-1), 'a log'))
      const { size } = await stat(path)
      Object.assign(synced, {
        path,
        size: path === synced.path ? Math.max(size, synced.size) : size,
      })
    }
    const traffic = startTraffic(url, people, noteLog)
    const pairs = [
      { reader: ben, author: ann },
      { reader: ann, author: ben },
    ]
    const receipts = pairs.map(async (pair) => {
      return { ...pair, ...(await giveReceipts(url, pair, noteLog)) }
    })
    await traffic.enough
    await endProcess(child, 'SIGKILL')
    await traffic.over
    const given = await Promise.all(receipts)
    if (isPowerCut) await truncate(synced.path, synced.size)

    const next = await startServerProcess({ dataDir })
    await expectWhole(next.url, people, traffic.acknowledged)
    for (const { reader, author, acknowledged, offered } of given) {
      expect(acknowledged.readUpTo).toBeGreaterThan(0)
      const { own } = await readMarks(next.url, reader, author)
      const { peers } = await readMarks(next.url, author, reader)
      for (const mark of ['deliveredUpTo', 'readUpTo'] as const) {
        expect(own[mark]).toBeGreaterThanOrEqual(acknowledged[mark])
        expect(own[mark]).toBeLessThanOrEqual(offered[mark])
        expect(peers[mark]).toBe(own[mark])
      }
      expect(await raiseMarks(next.url, reader, { _id: author.userId, ...offered })).toBe(true)
      expect((await readMarks(next.url, author, reader)).peers).toEqual(offered)
    }
    expect(await endProcess(next.child, 'SIGTERM')).toBe(0)
  },
)
