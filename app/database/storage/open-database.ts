import type { Dexie } from 'dexie'
import { createRxDatabase, type RxDatabase } from 'rxdb/plugins/core'
import { getRxStorageDexie } from 'rxdb/plugins/storage-dexie'
import type { ConversationCollection, MessageCollection } from './collections.ts'
import {
  type ConflictOptions,
  createConversationConflictHandler,
  createMessageConflictHandler,
} from './conflict-handlers.ts'
import { nameDatabase } from './dexie/earlier-database.ts'
import { endLiveQueries } from './dexie/end-live-queries.ts'
import { readDexie } from './dexie/owed-notes.ts'
import { readManyByRange } from './dexie/read-many-by-range.ts'
import { readRangesAtOnce } from './dexie/read-ranges-at-once.ts'
import { recordOwed } from './dexie/record-owed.ts'
import { recordSetBack } from './dexie/record-set-back.ts'
import { storeStagedNotes } from './dexie/staged-notes.ts'
import { dropFiles } from './drop-files.ts'
import { type DeviceStore, openDeviceStore } from './open-device-store.ts'
import { createPlaces, type Places } from './places.ts'
import { storedConversationSchema } from './stored-conversation.ts'
import { storedMessageSchema } from './stored-message.ts'

const replicated = ['messages', 'conversations']

/** All data of one person on one device: two replicated collections, and the local stores. */
export interface PetrelDatabase {
  /** The name prefix of all this person's databases on this device. */
  name: string
  messages: MessageCollection
  conversations: ConversationCollection
  device: DeviceStore
  /** Assigns the place of a conversation's next message. */
  places: Places
  close(): Promise<void>
  /** Closes the database and deletes it with all replication metadata. */
  remove(): Promise<void>
}

export interface DatabaseOptions extends ConflictOptions {
  indexedDB?: IDBFactory
  IDBKeyRange?: typeof globalThis.IDBKeyRange
  /** Distinguishes tabs and devices in one process: only the lab has several. */
  tab?: { device: string; name: string }
}

/**
 * Opens a person's database, and creates it on first use. Each person has a separate one.
 * @throws when IndexedDB is unavailable (private windows of some browsers, a full disk)
 */
export async function openDatabase(options: DatabaseOptions): Promise<PetrelDatabase> {
  const { userId, tab, indexedDB, IDBKeyRange } = options
  const name = tab ? `petrel-${userId}-${tab.device}` : `petrel-${userId}`
  const platform = { ...(indexedDB && { indexedDB }), ...(IDBKeyRange && { IDBKeyRange }) }
  const made = new Set<string>()
  const [replicated, device] = await Promise.all([
    openReplicated(options, { name, platform, onMade: (each) => made.add(each) }),
    openDeviceStore({ name, ...platform }),
  ])
  const { messages, conversations } = replicated
  const places = createPlaces({ messages, conversations })
  return {
    name,
    messages,
    conversations,
    device,
    places,
    async close() {
      places.close()
      device.close()
      await replicated.close()
    },
    async remove() {
      places.close()
      await device.remove()
      // Without it RxDB removes those, too, but waits for tabs that hold them.
      await dropEarlierConversations(conversations, platform).catch(() => {})
      await replicated.remove()
      const factory = indexedDB ?? globalThis.indexedDB
      await Promise.all([...made].map((each) => deleteShell(factory, each)))
    },
  }
}

/**
 * RxDB empties its IndexedDB databases but leaves them behind, with this person's id in their
 * names.
 */
function deleteShell(factory: IDBFactory, name: string): Promise<void> {
  return new Promise((resolve) => {
    const request = factory.deleteDatabase(name)
    const end = () => resolve()
    request.onsuccess = end
    // Already empty: the deletion finishes once a tab that is still closing is gone.
    request.onblocked = end
    request.onerror = end
  })
}

type Replicated = RxDatabase<{
  messages: MessageCollection
  conversations: ConversationCollection
}>

async function openReplicated(
  options: DatabaseOptions,
  {
    name,
    platform,
    onMade,
  }: {
    name: string
    platform: Pick<DatabaseOptions, 'indexedDB' | 'IDBKeyRange'>
    /** Called with the name of each of its IndexedDB databases. */
    onMade: (name: string) => void
  },
): Promise<Replicated> {
  const { tab } = options
  const storage = getRxStorageDexie({
    ...platform,
    async onCreate(dexie) {
      onMade(dexie.name)
      prepareDexie(dexie)
    },
  })
  readRangesAtOnce(storage)
  const database: Replicated = await createRxDatabase({
    name,
    // RxDB refuses a second database of one name and storage within a process.
    storage: tab ? Object.assign(storage, { name: `dexie-${tab.name}` }) : storage,
    multiInstance: true,
    eventReduce: false,
    closeDuplicates: true,
  })
  try {
    const [hasEarlier] = await Promise.all([
      hasEarlierConversations(name, platform.indexedDB),
      database.addCollections({
        messages: {
          schema: storedMessageSchema,
          conflictHandler: createMessageConflictHandler(options),
        },
        conversations: {
          schema: storedConversationSchema,
          conflictHandler: createConversationConflictHandler(options),
          // RxDB's own migration leaves out what is owed.
          autoMigrate: false,
        },
      }),
    ])
    if (hasEarlier) {
      const { migrateConversations } = await import('./migrate-conversations.ts')
      await migrateConversations(database.conversations, platform)
    }
    await keepOwnNotes(database.internalStore)
    return database
  } catch (error) {
    await database.close().catch(() => {})
    throw error
  }
}

async function dropEarlierConversations(
  conversations: ConversationCollection,
  platform: Pick<DatabaseOptions, 'indexedDB'>,
): Promise<void> {
  const { dropEarlier } = await import('./migrate-conversations.ts')
  await dropEarlier(conversations, platform)
}

async function hasEarlierConversations(
  database: string,
  indexedDB = globalThis.indexedDB,
): Promise<boolean> {
  // Firefox before 126 cannot list them: the migration looks by itself.
  if (typeof indexedDB.databases !== 'function') return true
  const earlier = nameDatabase({ database, version: 0, collection: 'conversations' })
  return (await indexedDB.databases()).some(({ name }) => name === earlier)
}

/**
 * RxDB replicates only collections that it has recorded, so this restores its records after a
 * deletion.
 */
async function keepOwnNotes(store: Replicated['internalStore']): Promise<void> {
  const dexie = await readDexie(store)
  const noted = await dexie.table('docs').toArray()
  dexie.on('populate', (transaction) => {
    void transaction.table('docs').bulkPut(noted)
  })
}

/**
 * Browsers close connections under a page (iOS on resume, the back-forward cache). RxDB opens Dexie
 * without auto-open; this lets the next call reopen it, and only our own close is final.
 */
function prepareDexie(opened: unknown): void {
  const dexie = opened as Dexie & { _options: { autoOpen?: boolean } }
  dexie._options.autoOpen = true
  // A sixth of the work for a message.
  endLiveQueries(dexie)
  readManyByRange(dexie)
  if (replicated.some((name) => dexie.name.endsWith(`--${name}`))) recordOwed(dexie)
  if (!dexie.name.endsWith('--messages')) return
  storeStagedNotes(dexie)
  recordSetBack(dexie)
  dropFiles(dexie)
}
