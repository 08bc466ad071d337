import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import { getComposedPrimaryKeyOfDocumentData } from 'rxdb/plugins/core'
import { expect, onTestFinished, test } from 'vitest'
import { createClock } from '../../database/storage/clock.ts'
import { createKeyValueStorage } from '../../database/storage/key-value-storage.ts'
import { openDatabase } from '../../database/storage/open-database.ts'
import { fromServerMessage, type StoredMessage } from '../../database/storage/stored-message.ts'
import { openTestLab } from '../../lab/open-test-lab.ts'
import { createBackOff } from '../platform/back-off.ts'
import { countUnsentDocuments } from './count-unsent-documents.ts'
import { createReplication } from './replication.ts'
import { openReplicationNotes } from './replication-notes.ts'
import { toServerMessage } from './sync.ts'
import { createKnownEpoch } from './transport/known-epoch.ts'
import { createUnparsed } from './unparsed.ts'

/**
 * Ben's device, which syncs with a given version of the app at a time. Of a message about the future
 * it hears a type that no version knows, until `isKnown`; then a file that the earlier one dropped.
 */
async function start() {
  const { lab, ann, ben } = await openTestLab()
  const phone = await ann.device()
  await phone.say(ben, 'before')
  const id = await phone.say(ben, 'from the future')
  await lab.settle()
  const database = await openDatabase({
    userId: ben.userId,
    now: Date.now,
    indexedDB: new IDBFactory(),
    IDBKeyRange,
    tab: { device: 'an earlier version', name: 'first' },
  })
  onTestFinished(() => database.close())
  const { messages, device } = database
  const { epochs } = device
  const url = `${lab.server.url}/sync/messages/`
  const future = { isKnown: false }

  function spoil({ doc }: { doc?: Record<string, unknown> }) {
    if (doc?._id === id)
      Object.assign(doc, future.isKnown ? { isForwarded: true } : { type: 'dream' })
  }

  async function sync(version: number) {
    const asked: string[] = []
    const random = () => 1
    const replication = createReplication<StoredMessage>({
      identifier: 'petrel',
      collection: messages,
      url,
      epoch: createKnownEpoch({
        table: epochs,
        collection: 'messages',
        stored: await epochs.get('messages'),
        onNew: () => {},
      }),
      unparsed: createUnparsed({ messages, epochs, version }),
      readToken: () => ben.token,
      clock: createClock({ now: Date.now, texts: createKeyValueStorage() }),
      backOffs: { pull: createBackOff({ random }), push: createBackOff({ random }) },
      random,
      onSetAside: () => {},
      onRecreated: () => {},
      async fetch(input, init) {
        asked.push(String(input).replace(url, '').replace(/\?.*/, ''))
        const response = await fetch(input, init)
        const body = await response.json()
        for (const row of body.results ?? body.rows ?? []) spoil(row)
        return Response.json(body, response)
      },
      onOutcome: () => {},
      onBroken: (cause) => {
        throw cause
      },
      fromServer: (document) => fromServerMessage(document, ben.userId),
      toServer: (stored) => toServerMessage(messages, stored, () => {}),
    })
    onTestFinished(() => replication.close())
    const stored = async () => (await messages.findOne(id).exec())?.toJSON()
    /** Resolves when nothing of it is asked for again by a catch-up. */
    async function untilNoted() {
      const notes = await openReplicationNotes(messages, 'petrel')
      const checkpoint = getComposedPrimaryKeyOfDocumentData(notes.schema, {
        isCheckpoint: '1',
        itemId: 'down',
      })
      await expect
        .poll(() => notes.findDocumentsById([checkpoint], false))
        .toMatchObject([{ checkpointData: { sequence: expect.anything() } }])
      await notes.close()
      await expect.poll(() => asked.filter((path) => path === '_changes').length).toBeGreaterThan(1)
    }
    return { replication, asked, stored, untilNoted }
  }
  return { sync, future, database, ben, ann }
}

test('P6: what a version cannot parse is shown after the update that can', async () => {
  const { sync, future, database, ann } = await start()
  const earlier = await sync(1)
  await expect.poll(earlier.stored).toMatchObject({ type: 'dream', shelf: '' })
  await earlier.untilNoted()
  await earlier.replication.close()

  future.isKnown = true
  const updated = await sync(2)
  await expect
    .poll(updated.stored)
    .toMatchObject({ content: 'from the future', shelf: ann.userId, isForwarded: true })
  await updated.untilNoted()
  expect(await countUnsentDocuments(database)).toBe(0)
  expect(updated.asked.filter((path) => path === '_bulk_docs')).toEqual([])
})

test('what no version can parse yet is asked for once by each', async () => {
  const { sync, future, ann } = await start()
  const counts: number[] = []
  for (const version of [1, 1, 1, 2, 2]) {
    const { replication, asked, stored, untilNoted } = await sync(version)
    await expect.poll(stored).toMatchObject({ type: 'dream', shelf: '' })
    await untilNoted()
    counts.push(asked.filter((path) => path === '_all_docs').length)
    await replication.close()
  }
  expect(counts).toEqual([0, 1, 0, 1, 0])

  future.isKnown = true
  const { stored } = await sync(3)
  await expect.poll(stored).toMatchObject({ shelf: ann.userId })
})
