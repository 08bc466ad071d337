import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { getComposedPrimaryKeyOfDocumentData } from 'rxdb/plugins/core'
import { expect, onTestFinished, test } from 'vitest'
import { createDeferred } from '../../../schema/helpers/deferred.ts'
import { createClock } from '../../database/storage/clock.ts'
import type { PetrelDatabase } from '../../database/storage/open-database.ts'
import { readDocuments } from '../../database/storage/read-documents.ts'
import {
  fromServerMessage,
  fromStoredMessage,
  type StoredMessage,
  toStoredMessage,
} from '../../database/storage/stored-message.ts'
import { ann, ben, openTestDatabase } from '../../database/testing/open-test-database.ts'
import { testMessage } from '../../database/testing/test-message.ts'
import { testGroup } from '../../database/testing/test-user.ts'
import { createBackOff } from '../platform/back-off.ts'
import { createReplication } from './replication.ts'
import { openReplicationNotes } from './replication-notes.ts'
import { answerJson, answerRows, readQuery } from './testing/open-test-calls.ts'

const identifier = 'a test'
const walks = '01900000-0000-7000-8000-0000000000a1'
const choir = '01900000-0000-7000-8000-0000000000a2'
const idOf = (number: number) => `01900000-0000-7000-8000-${String(number).padStart(12, '0')}`

/** Ben's message to a group, as its database has it. */
const toGroup = (groupId: string, number: number) =>
  testMessage(number, {
    _id: idOf(number),
    peerId: groupId,
    senderId: ben,
    recipientId: groupId,
    status: 'sent',
  })

type Stored = { _id: string }

/** A server with Ann's own database and those of her groups: their places count what they hold. */
async function openGroupServer() {
  const databases = new Map<string, Stored[]>([['messages', []]])
  const asked: Record<string, number>[] = []
  /** Polls that found nothing yet. */
  const polls: { response: ServerResponse; name: string; since: number }[] = []
  const changesOf = (name: string, since: number) => {
    const all = databases.get(name) ?? []
    const results = all.slice(since).map((doc, at) => ({ seq: since + at + 1, doc }))
    return { results, last_seq: all.length }
  }

  async function answer(request: IncomingMessage, response: ServerResponse) {
    const [, , ...path] = (request.url ?? '').split('?')[0]?.split('/') ?? []
    if (path.join('/') === 'groups/_changes') {
      const { since } = (await json(request)) as { since: Record<string, number> }
      asked.push(since)
      const groups = [...databases].flatMap(([name]) => {
        const found = name === 'messages' ? undefined : changesOf(name, since[name] ?? 0)
        return found && found.results.length > 0 ? [{ _id: name, isMember: true, ...found }] : []
      })
      return answerJson(response, { groups })
    }
    if (path.at(-1) === '_bulk_docs') {
      const { docs } = (await json(request)) as { docs: Stored[] }
      const name = path.at(-2) ?? ''
      databases.set(name, [...(databases.get(name) ?? []), ...docs])
      return answerRows(response, docs)
    }
    const query = readQuery(request)
    const name = path.at(-2) ?? ''
    const since = Number(query.get('since'))
    const found = changesOf(name, since)
    if (query.get('feed') !== 'longpoll' || found.results.length > 0) answerJson(response, found)
    else polls.push({ response, name, since })
  }

  /** Stores it, and answers whoever waits for it. */
  function write(name: string, document: Stored) {
    databases.set(name, [...(databases.get(name) ?? []), document])
    for (const poll of polls.splice(0)) {
      const found = changesOf(poll.name, poll.since)
      if (found.results.length > 0) answerJson(poll.response, found)
      else polls.push(poll)
    }
  }

  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { databases, asked, polls, write, url: `http://127.0.0.1:${port}/` }
}

function replicate(database: PetrelDatabase, url: string) {
  const backOffs = {
    pull: createBackOff({ random: () => 1 }),
    push: createBackOff({ random: () => 1 }),
  }
  return createReplication<StoredMessage>({
    collection: database.messages,
    identifier,
    fetch,
    url: `${url}sync/messages/`,
    groups: {
      serverUrl: url,
      groupOf: ({ peerId }) =>
        typeof peerId === 'string' && database.groups.has(peerId) ? peerId : undefined,
      isOn: () => true,
      onGroups: async () => {},
      listMade: async () => [],
      recordOf: () => undefined,
      listUnanswered: async () => [],
      setTaken: async () => {},
      refusalsOf: () => ({
        isFinal: () => false,
        take: async () => {},
        findLast: () => undefined,
      }),
    },
    readToken: () => 'a token',
    clock: createClock({ now: () => 1_000 }),
    epoch: { get: () => undefined, take: async () => true },
    backOffs,
    random: () => 1,
    onOutcome: () => {},
    onSetAside: () => {},
    onBroken: (cause) => expect.unreachable(String(cause)),
    onRecreated: () => {},
    fromServer: (document) => fromServerMessage(document, ann),
    toServer: (stored) => fromStoredMessage(stored) as StoredMessage,
  })
}

test('P14: one replication brings every group, sends to each its own, and goes on after a restart where each was', async () => {
  const { database } = await openTestDatabase()
  const server = await openGroupServer()
  server.databases.set(walks, [toGroup(walks, 1), toGroup(walks, 2)])
  server.databases.set(choir, [toGroup(choir, 3)])
  await database.groups.take([walks, choir].map((_id) => testGroup({ _id })))
  const find = async (...numbers: number[]) => {
    const found = await readDocuments(database.messages, numbers.map(idOf))
    return numbers.map((number) => found.get(idOf(number)))
  }

  const first = replicate(database, server.url)
  await expect.poll(async () => (await find(1, 2, 3)).every(Boolean)).toBe(true)
  // Each lies in its group, and counts as unread there.
  const [one, , three] = await find(1, 2, 3)
  expect([one?.shelf, one?.tally, three?.shelf]).toEqual([walks, walks, choir])

  const own = testMessage(4, {
    _id: idOf(4),
    peerId: walks,
    senderId: ann,
    recipientId: walks,
    status: 'sending',
  })
  await database.messages.insert(toStoredMessage(own, ann))
  await expect.poll(() => server.databases.get(walks)?.map(({ _id }) => _id)).toContain(idOf(4))
  expect(server.databases.get('messages')).toEqual([])
  expect(server.databases.get(choir)).toHaveLength(1)
  // The places are stored a moment after what lies before them.
  const notes = await openReplicationNotes(database.messages, identifier)
  const key = getComposedPrimaryKeyOfDocumentData(notes.schema, {
    isCheckpoint: '1',
    itemId: 'down',
  })
  const stored = expect.any(Number)
  await expect
    .poll(() => notes.findDocumentsById([key], false))
    .toMatchObject([{ checkpointData: { [`group:${walks}`]: stored, [`group:${choir}`]: stored } }])
  await notes.close()
  await first.close()

  server.asked.length = 0
  server.databases.get(choir)?.push(toGroup(choir, 5))
  const second = replicate(database, server.url)
  await expect.poll(async () => (await find(5))[0]?.shelf).toBe(choir)
  // It goes on where it was, and nobody begins again because another has moved.
  expect(server.asked[0]).toEqual({ [walks]: 2, [choir]: 1 })
  await second.close()
})

test('P14: a new group is asked for, also where that is due while arrivals wait for the disk', async () => {
  const { database } = await openTestDatabase()
  const server = await openGroupServer()
  await database.groups.take([testGroup({ _id: choir })])
  const { storageInstance } = database.messages
  const write = storageInstance.bulkWrite.bind(storageInstance)
  let untilWritten: Promise<void> | undefined
  let writing = 0
  storageInstance.bulkWrite = async (...given) => {
    writing += 1
    await untilWritten
    return await write(...given)
  }
  const replication = replicate(database, server.url)
  const isThere = async (number: number) =>
    (await readDocuments(database.messages, [idOf(number)])).size > 0
  const toAnn = (number: number) =>
    testMessage(number, { _id: idOf(number), senderId: ben, recipientId: ann, status: 'sent' })

  await expect.poll(() => server.polls.length).toBe(1)
  const disk = createDeferred<void>()
  untilWritten = disk.promise
  // The first is on its way to the disk, the second waits behind it.
  for (const number of [6, 7]) {
    server.write('messages', toAnn(number))
    await expect.poll(() => writing).toBe(1)
    await expect.poll(() => server.polls.map(({ since }) => since)).toEqual([number - 5])
  }
  server.databases.set(choir, [toGroup(choir, 8)])
  replication.reSync()
  // RxDB has heard of it.
  await new Promise((resolve) => setImmediate(resolve))
  disk.resolve()
  await expect.poll(() => isThere(7)).toBe(true)
  await expect.poll(() => isThere(8)).toBe(true)
  await replication.close()
})
