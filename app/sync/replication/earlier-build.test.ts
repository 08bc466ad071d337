import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import { replicateCouchDB } from 'rxdb/plugins/replication-couchdb'
import { expect, onTestFinished, test } from 'vitest'
import { createClock } from '../../database/storage/clock.ts'
import { createKeyValueStorage } from '../../database/storage/key-value-storage.ts'
import { openDatabase } from '../../database/storage/open-database.ts'
import { fromServerMessage, type StoredMessage } from '../../database/storage/stored-message.ts'
import { waitUntil } from '../../lab/browser/wait-until.ts'
import { openTestLab } from '../../lab/open-test-lab.ts'
import { createBackOff } from '../platform/back-off.ts'
import { countUnsentDocuments } from './count-unsent-documents.ts'
import { createReplication } from './replication.ts'
import { toServerMessage } from './sync.ts'

test('P11: a device of an earlier build goes on from where its replication stood', async () => {
  const { lab, ann, ben } = await openTestLab()
  const phone = await ann.device()
  for (const text of ['one', 'two', 'three']) await phone.say(ben, text)
  await lab.settle()
  const tab = { device: 'an earlier build', name: 'first' }
  const database = await openDatabase({
    userId: ben.userId,
    now: Date.now,
    indexedDB: new IDBFactory(),
    IDBKeyRange,
    tab,
  })
  onTestFinished(() => database.close())
  const { messages } = database
  const count = () => messages.count().exec()
  const url = `${lab.server.url}/sync/messages/`
  const headers = { authorization: `Bearer ${ben.token}` }

  // The state of an earlier build.
  const earlier = replicateCouchDB<StoredMessage>({
    replicationIdentifier: 'petrel',
    collection: messages,
    url,
    live: true,
    waitForLeadership: false,
    retryTime: 50,
    fetch: (input, init) => fetch(input, { ...init, headers: { ...init?.headers, ...headers } }),
    pull: {
      batchSize: 500,
      modifier: (document: StoredMessage) => ({
        ...fromServerMessage(document, ben.userId),
        _deleted: false,
      }),
    },
    push: { batchSize: 100 },
  })
  await earlier.awaitInSync()
  expect(await count()).toBe(3)
  await earlier.cancel()

  const asked: string[] = []
  const random = () => 1
  const epoch = { get: () => undefined, take: async () => true }
  const now = createReplication<StoredMessage>({
    identifier: 'petrel',
    collection: messages,
    url,
    epoch,
    readToken: () => ben.token,
    clock: createClock({ now: Date.now, texts: createKeyValueStorage() }),
    backOffs: { pull: createBackOff({ random }), push: createBackOff({ random }) },
    random,
    onSetAside: () => {},
    onRecreated: () => {},
    fetch: (input, init) => {
      asked.push(String(input).replace(url, ''))
      return fetch(input, init)
    },
    onOutcome: () => {},
    onBroken: (cause) => {
      throw cause
    },
    fromServer: (document) => fromServerMessage(document, ben.userId),
    toServer: (stored) => toServerMessage(messages, stored, () => {}),
  })
  onTestFinished(() => now.close())
  await phone.say(ben, 'four')
  await waitUntil('it is here', async () => (await count()) === 4)
  // It is noted as the server's a moment after it was stored.
  await expect.poll(() => countUnsentDocuments(database)).toBe(0)
  const pulls = asked.filter((path) => path.startsWith('_changes'))
  expect(pulls.length).toBeGreaterThan(0)
  expect(pulls.map((path) => new URLSearchParams(path.split('?')[1]).get('since'))).not.toContain(
    '0',
  )
  expect(asked.filter((path) => path.startsWith('_bulk_docs'))).toEqual([])
})
