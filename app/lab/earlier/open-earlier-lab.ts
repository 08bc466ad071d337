import { readFile } from 'node:fs/promises'
import { loadStore, type StoreDump } from '../../../sync-server/storage/testing/dump-store.ts'
import { loadDatabases } from '../../database/testing/dump-databases.ts'
import { readEarlierDevice } from '../../database/testing/open-test-earlier-device.ts'
import { createLab } from '../create-lab.ts'

const serverFixture = new URL('../../../sync-server/backup/fixtures/server.json', import.meta.url)

/**
 * The server that an earlier build has filled, with Ann, Ben and Cem, and what fills Ann's first
 * device as that build left it.
 */
export async function openEarlierLab() {
  const { store }: { store: StoreDump } = JSON.parse(await readFile(serverFixture, 'utf8'))
  const { databases, unsent } = await readEarlierDevice()
  const lab = await createLab({
    earlier: {
      fill: (dataDir) => loadStore(dataDir, store),
      people: ['ann', 'ben', 'cem'],
    },
  })
  const [ann, ben, cem] = [
    await lab.person('ann'),
    await lab.person('ben'),
    await lab.person('cem'),
  ]
  const fill = (indexedDB: IDBFactory) => loadDatabases(indexedDB, databases)
  return { lab, ann, ben, cem, unsent, fill }
}
