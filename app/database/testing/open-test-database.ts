import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import { v7 as createId } from 'uuid'
import { onTestFinished } from 'vitest'
import { openDatabase, type PetrelDatabase } from '../storage/open-database.ts'

export const ann = '01900000-0000-7000-8000-00000000000a'
export const ben = '01900000-0000-7000-8000-00000000000b'

/**
 * Ann's database on a new device, with a clock that advances by one per reading, from `startAt`.
 * The test closes everything at its end: RxDB allows only sixteen collections per process.
 */
export async function openTestDatabase(
  options: { device?: string; indexedDB?: IDBFactory; startAt?: number } = {},
) {
  const { device = createId(), indexedDB = new IDBFactory(), startAt = 1_000_000 } = options
  let time = startAt
  const now = () => time++
  async function open(tab: string): Promise<PetrelDatabase> {
    const opened = await openDatabase({
      userId: ann,
      now,
      indexedDB,
      IDBKeyRange,
      tab: { device, name: tab },
    })
    onTestFinished(async () => void (await opened.close()))
    return opened
  }
  const database = await open('first')
  return { context: { userId: ann, database, now }, database, open, device, indexedDB }
}
