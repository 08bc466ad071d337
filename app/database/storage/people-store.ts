import { Dexie, type EntityTable, type Table } from 'dexie'
import type { Session } from '../../../schema/api/auth.ts'

/** A person's picture, by the address that the server gave it. Another picture has another one. */
export interface KeptPicture {
  _id: string
  file: Blob
  /** Bytes. */
  size: number
  /** When it was last shown or stored, epoch ms. */
  usedAt: number
}

/** A list of people's ids as the server last gave it. */
interface KeptList {
  _id: 'blocked'
  userIds: readonly string[]
}

/** The person's signed-in devices as the server last gave them. */
export interface KeptSignIns {
  _id: 'sign-ins'
  sessions: readonly Session[]
  /** When it gave them, epoch ms. */
  at: number
}

/** What the server last answered to a question, by the question. */
interface KeptAnswer {
  _id: string
  value: unknown
  /** When it answered, epoch ms. */
  at: number
}

/** What this device keeps about people beside their records; it leaves the device with them. */
export interface PeopleStore {
  pictures: EntityTable<KeptPicture, '_id'>
  lists: Table<KeptList, KeptList['_id']>
  signIns: Table<KeptSignIns, KeptSignIns['_id']>
  answers: Table<KeptAnswer, string>
  close(): void
  /** Closes it and deletes all of it from the device. */
  remove(): Promise<void>
}

/** @param options.name the name of the person's database on this device */
export function openPeopleStore(options: {
  name: string
  indexedDB?: IDBFactory | undefined
  IDBKeyRange?: typeof globalThis.IDBKeyRange | undefined
}): PeopleStore {
  const { name, indexedDB, IDBKeyRange } = options
  const dexie = new Dexie(`${name}-people`, {
    ...(indexedDB && { indexedDB }),
    ...(IDBKeyRange && { IDBKeyRange }),
  }) as Dexie & Pick<PeopleStore, 'pictures' | 'lists'>
  // Dexie's live queries need an IndexedDB beside the one given to each database.
  if (indexedDB) Dexie.dependencies.indexedDB ??= indexedDB
  dexie.version(1).stores({ pictures: '_id, usedAt', lists: '_id' })
  return {
    pictures: dexie.pictures,
    lists: dexie.lists,
    // Rows of the same table, which needs no migration then: an earlier build reads its own by id.
    signIns: dexie.table('lists'),
    answers: dexie.table('lists'),
    close: () => dexie.close(),
    remove: () => dexie.delete(),
  }
}
