import type { EntityTable } from 'dexie'
import type { AccountKeys } from '../../encryption/account-keys.ts'
import { type DeviceStore, subscribeToTable } from './open-device-store.ts'

/** Own keys as they lie on the device: with their public halves, which cost time to compute. */
export interface StoredKeys {
  /** Their number. */
  _id: number
  keys: AccountKeys
}

/** What else this device notes about keys. */
export type KeyNote =
  /** What the password gives to open wrapped seeds: until the first keys could be published. */
  | { _id: 'opener'; wrapKey: Uint8Array }
  /** The recovery key, until the person says that they have it. */
  | { _id: 'recovery'; text: string }

/**
 * The person's own keys on this device, the same in every tab. They go with log-out. A page that
 * has them keeps them while it is open: when the browser clears the storage under it, what comes
 * again can be read. It writes none back, for that would undo another tab's log-out.
 */
export interface Keyring {
  /** The keys with the highest number, after a look at what is stored now. */
  read(): Promise<AccountKeys | undefined>
  /** The same as last read; complete once the database is open. */
  current(): AccountKeys | undefined
  /** Earlier own keys, newest first: they still open what was sealed to them. */
  readonly former: readonly AccountKeys[]
  /** Keeps these keys beside those that are there. */
  set(keys: AccountKeys): Promise<void>
  /** Calls back after each change by any tab. Returns the function that ends it. */
  onChange(listener: () => void): () => void
  close(): void
}

/** @throws when the device's store cannot be read */
export async function openKeyring({ keyring: table }: DeviceStore): Promise<Keyring> {
  const listeners = new Set<() => void>()
  const state = { all: await readAll(table) }

  function take(stored: AccountKeys[]) {
    const ids = new Set(stored.map(idOf))
    const all = [...stored, ...state.all.filter((keys) => !ids.has(idOf(keys)))].sort(newestFirst)
    const isSame = all.map(idOf).join() === state.all.map(idOf).join()
    state.all = all
    if (!isSame) for (const listener of [...listeners]) listener()
  }

  const unsubscribe = subscribeToTable(table, {
    onRows: (rows) => take(sortRows(rows)),
    // A store that fails is asked again by whoever reads it next.
    onError: () => {},
  })
  return {
    async read() {
      take(await readAll(table))
      return state.all[0]
    },
    current: () => state.all[0],
    get former() {
      return state.all.slice(1)
    },
    async set(keys) {
      await table.put({ _id: keys.number, keys })
      take(await readAll(table))
    },
    onChange(listener) {
      const own = () => listener()
      listeners.add(own)
      return () => listeners.delete(own)
    },
    close() {
      unsubscribe()
      listeners.clear()
    },
  }
}

async function readAll(table: EntityTable<StoredKeys, '_id'>): Promise<AccountKeys[]> {
  return sortRows(await table.toArray())
}

function sortRows(rows: StoredKeys[]): AccountKeys[] {
  return rows.map(({ keys }) => keys).sort(newestFirst)
}

function newestFirst(a: AccountKeys, b: AccountKeys): number {
  return b.number - a.number
}

/** Another seed under a known number differs, too. */
function idOf({ number, seed }: AccountKeys): string {
  return `${number}:${seed.join('.')}`
}
