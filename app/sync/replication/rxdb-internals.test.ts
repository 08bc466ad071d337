import { readFileSync } from 'node:fs'
import { getComposedPrimaryKeyOfDocumentData } from 'rxdb/plugins/core'
import { replicateRxCollection } from 'rxdb/plugins/replication'
import { expect, onTestFinished, test } from 'vitest'
import { must } from '../../../schema/helpers/assertions.ts'
import { noteTable } from '../../database/storage/dexie/accompany-writes.ts'
import { readDexie } from '../../database/storage/dexie/owed-notes.ts'
import { type StoredMessage, toStoredMessage } from '../../database/storage/stored-message.ts'
import { ann, openTestDatabase } from '../../database/testing/open-test-database.ts'
import { testMessage } from '../../database/testing/test-message.ts'

const page = '../../../.github/decisions/0030-replication-by-our-own-handlers.md'
const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')

async function openReplication() {
  const { database } = await openTestDatabase()
  const replication = replicateRxCollection<StoredMessage, unknown>({
    replicationIdentifier: 'internals',
    collection: database.messages,
    waitForLeadership: false,
    pull: { handler: async () => ({ documents: [], checkpoint: { sequence: 7 } }) },
    push: { handler: async () => [] },
  })
  onTestFinished(async () => void (await replication.cancel()))
  await replication.startPromise
  await replication.awaitInitialReplication()
  const internal = must(replication.internalReplicationState, 'a replication that runs')
  return { database, replication, internal }
}

test('decision 30 speaks of the version of RxDB that is installed, and package.json asks for no other', () => {
  const { dependencies } = JSON.parse(read('../../../package.json'))
  const { version } = JSON.parse(read('../../../node_modules/rxdb/package.json'))
  expect(dependencies.rxdb).toBe(version)
  expect(read(page)).toContain(`RxDB ${version}`)
})

test('what is used of the inside of a replication is there', async () => {
  const { database, replication, internal } = await openReplication()
  expect(internal.streamQueue.up).toBeInstanceOf(Promise)
  expect(internal.streamQueue.down).toBeInstanceOf(Promise)
  expect(internal.events.active.up.getValue()).toBe(false)
  // Both are asked for at each use, so that another can be put in their place.
  expect(internal.input.forkInstance).toBe(database.messages.storageInstance)
  expect(internal.input.metaInstance).toBe(replication.metaInstance)
})

test('a write of RxDB to its notes says which of the three it is', async () => {
  const { database, internal, replication } = await openReplication()
  const contexts: string[] = []
  const { metaInstance } = internal.input
  const write = metaInstance.bulkWrite.bind(metaInstance)
  metaInstance.bulkWrite = async (rows, context) => {
    contexts.push(context)
    return await write(rows, context)
  }
  await database.messages.insert(toStoredMessage(testMessage(1, { senderId: ann }), ann))
  replication.reSync()
  await expect
    .poll(() => [...new Set(contexts)].toSorted())
    .toEqual(['replication-set-checkpoint', 'replication-up-write-meta'])
})

test('the databases that RxDB opens are those that our notes and records are kept in', async () => {
  const { database } = await openReplication()
  const messages = await readDexie(database.messages.storageInstance)
  expect(messages.name).toMatch(/--messages$/)
  expect(messages.tables.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['docs', noteTable]),
  )
  expect((messages as unknown as { _options: { autoOpen: boolean } })._options.autoOpen).toBe(true)
  const own = await readDexie(database.messages.database.internalStore)
  const recorded = await own.table('docs').toArray()
  expect(recorded.map(({ id }) => id)).toContain('collection|messages-0')
})

test('RxDB stores its checkpoints where they are read from', async () => {
  const { database, internal, replication } = await openReplication()
  const { metaInstance } = internal.input
  const key = getComposedPrimaryKeyOfDocumentData(metaInstance.schema, {
    isCheckpoint: '1',
    itemId: 'up',
  })
  await database.messages.insert(toStoredMessage(testMessage(1, { senderId: ann }), ann))
  replication.reSync()
  const read = async () => (await metaInstance.findDocumentsById([key], false))[0]?.checkpointData
  await expect.poll(read).toMatchObject({ lwt: expect.any(Number) })
})
