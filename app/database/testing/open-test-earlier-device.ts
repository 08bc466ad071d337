import { readFile } from 'node:fs/promises'
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import { onTestFinished } from 'vitest'
import { openDatabase, type PetrelDatabase } from '../storage/open-database.ts'
import { type DatabaseDump, loadDatabases } from './dump-databases.ts'

interface EarlierDevice {
  /** The commit that wrote it. */
  madeBy: string
  people: Record<'ann' | 'ben' | 'cem', string>
  /** The id of Ann's message that the server lacks. */
  unsent: string
  databases: DatabaseDump
}

export async function readEarlierDevice(): Promise<EarlierDevice> {
  const path = new URL('fixtures/device.json', import.meta.url)
  return JSON.parse(await readFile(path, 'utf8'))
}

/**
 * For tests: Ann's phone as an earlier build left it. She has written to Ben offline, and muted and
 * archived Cem; her conversation with Ben lacks fields that were added later.
 */
export async function openTestEarlierDevice(indexedDB: IDBFactory = new IDBFactory()) {
  const { databases, people, unsent } = await readEarlierDevice()
  await loadDatabases(indexedDB, databases)
  const device = 'ann-1'
  const earlier = databases
    .filter((each) => isOfConversations(each, people.cem))
    .map(({ name }) => name)
  async function open(tab: string): Promise<PetrelDatabase> {
    const opened = await openDatabase({
      userId: people.ann,
      now: Date.now,
      indexedDB,
      IDBKeyRange,
      tab: { device, name: tab },
    })
    onTestFinished(async () => void (await opened.close()))
    return opened
  }
  return {
    people,
    unsent,
    databases,
    indexedDB,
    open,
    /** What is left of the earlier build's conversations. */
    async listEarlier() {
      const found = (await indexedDB.databases()).map(({ name = '' }) => name)
      return earlier.filter((name) => found.includes(name))
    },
  }
}

function isOfConversations({ name, stores }: DatabaseDump[number], cem: string): boolean {
  if (name.endsWith('--0--conversations')) return true
  const documents = stores.flatMap(({ records }) => records as { itemId?: string }[])
  return name.includes('--0--rx-') && documents.some(({ itemId }) => itemId === cem)
}
