import {
  type DBCore,
  type DBCoreMutateRequest,
  type DBCoreRangeType,
  type DBCoreTable,
  type DBCoreTransaction,
  Dexie,
  type EntityTable,
  type Transaction,
} from 'dexie'
import {
  createRxDatabase,
  type PreparedQuery,
  type RxDatabase,
  type RxDocumentData,
} from 'rxdb/plugins/core'
import {
  DEXIE_DOCS_TABLE_NAME,
  fromDexieToStorage,
  getKeyRangeByQueryPlan,
  getRxStorageDexie,
  type RxStorageDexie,
  type RxStorageInstanceDexie,
} from 'rxdb/plugins/storage-dexie'
import { createConversationKeys } from '../../encryption/conversation-keys.ts'
import { createGroupKeys, type EpochMessage, type GroupKeys } from '../../encryption/group-keys.ts'
import type { FindEpoch } from '../../encryption/sealed-message.ts'
import {
  type ConversationCollection,
  type MessageCollection,
  subscribeToChanges,
} from './collections.ts'
import {
  type ConflictOptions,
  createConversationConflictHandler,
  createMessageConflictHandler,
  type GroupRefusals,
} from './conflict-handlers.ts'
import { noteTable } from './dexie/accompany-writes.ts'
import { nameDatabase } from './dexie/earlier-database.ts'
import { endLiveQueries } from './dexie/end-live-queries.ts'
import { readDexie, recordOwed, settleRequest, storeStagedNotes } from './dexie/owed-notes.ts'
import { readManyByRange } from './dexie/read-many-by-range.ts'
import { recordSetBack } from './dexie/record-set-back.ts'
import { findNewestMessage } from './find-newest-message.ts'
import { wantingRanges } from './find-wanted-files.ts'
import { type Keyring, openKeyring } from './keyring.ts'
import { type KnownGroups, openKnownGroups } from './known-groups.ts'
import { findReadFrom } from './known-peer.ts'
import { type DeviceStore, openDeviceStore, type StoredGroupBox } from './open-device-store.ts'
import { openPeerKeys, type PeerKeys } from './peer-keys.ts'
import { addressPrefix, filePrefix } from './queued-request.ts'
import { queryDocuments, readDocuments } from './read-documents.ts'
import { createSealing, type Sealing } from './sealing.ts'
import { storedConversationSchema } from './stored-conversation.ts'
import { epochOrder, type StoredMessage, storedMessageSchema } from './stored-message.ts'

/** `DBCoreRangeType.Range`; Dexie exports it as a type only. */
const rangeType = 2 as DBCoreRangeType.Range

const replicated = ['messages', 'conversations']

/** All data of one person on one device: two replicated collections, and the local stores. */
export interface PetrelDatabase {
  /** The name prefix of all this person's databases on this device. */
  name: string
  messages: MessageCollection
  conversations: ConversationCollection
  device: DeviceStore
  /** The person's own keys. */
  keyring: Keyring
  /** The public keys of other people. */
  peerKeys: PeerKeys
  groups: KnownGroups
  /** The secrets of those. */
  groupKeys: GroupKeys
  /** How messages are sealed and opened. */
  sealing: Sealing
  refusals: GroupRefusals
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
  const found: { keys?: ReturnType<typeof joinKeys> } = {}
  const sealing = createSealing({ userId, readKeys: () => found.keys })
  const refusals: GroupRefusals = new Map()
  const [replicated, device] = await Promise.all([
    openReplicated(
      { ...options, sealing, refusals },
      { name, platform, onMade: (each) => made.add(each) },
    ),
    openDeviceStore({ name, ...platform }),
  ])
  const { messages, conversations } = replicated
  const [keyring, peerKeys, groups] = await Promise.all([
    openKeyring(device),
    openPeerKeys({ table: device.peerKeys, now: options.now }),
    openKnownGroups(device.groups),
  ])
  const keys = joinKeys({ userId, keyring, peerKeys, groups })
  const stopTaking = await takeGroupKeys(messages, {
    groupKeys: keys.groups,
    keep: (secrets) => keepBoxes(device.groupBoxes, { userId, secrets }),
  })
  found.keys = keys
  const places = createPlaces({ messages, conversations })
  return {
    name,
    messages,
    conversations,
    device,
    keyring,
    peerKeys,
    groups,
    groupKeys: keys.groups,
    sealing,
    refusals,
    places,
    async close() {
      stopTaking()
      places.close()
      keyring.close()
      peerKeys.close()
      groups.close()
      device.close()
      await replicated.close()
    },
    async remove() {
      stopTaking()
      places.close()
      keyring.close()
      peerKeys.close()
      groups.close()
      await device.remove()
      // Without it RxDB removes those, too, but waits for tabs that hold them.
      await dropEarlierConversations(conversations, platform).catch(() => {})
      await replicated.remove()
      const factory = indexedDB ?? globalThis.indexedDB
      await Promise.all([...made].map((each) => deleteShell(factory, each)))
    },
  }
}

function joinKeys(options: {
  userId: string
  keyring: Keyring
  peerKeys: PeerKeys
  groups: KnownGroups
}) {
  const { userId, keyring, peerKeys, groups } = options
  const listOwn = () => {
    const own = keyring.current()
    return own ? [own, ...keyring.former] : []
  }
  const keys = createConversationKeys({ listOwn, listPeer: peerKeys.list })
  const ofGroups = createGroupKeys({
    userId,
    listOwn,
    pairs: keys,
    listMembers(groupId) {
      const group = groups.get(groupId)
      return group?.hasLeft ? [] : group?.members.map((one) => one.userId)
    },
    readsFrom: (groupId, memberId) => findReadFrom(groups.get(groupId), memberId),
  })
  // Their own record says so when the keys are on another device alone.
  const isOn = () => keyring.current() !== undefined || keys.hasKeys(userId)
  const find: FindEpoch = (peerId, epochId) =>
    (groups.has(peerId) ? ofGroups : keys).find(peerId, epochId)
  return {
    find,
    findCurrent: (peerId: string) => (groups.has(peerId) ? ofGroups : keys).findCurrent(peerId),
    groups: ofGroups,
    isOn,
    mustSeal: (peerId: string) =>
      isOn() &&
      (groups.has(peerId)
        ? groups.get(peerId)?.hasLeft !== true && ofGroups.listKeyless(peerId).length === 0
        : keys.hasKeys(peerId)),
  }
}

/** Reads the stored secrets of groups, and takes those that come. @returns the function that ends it */
async function takeGroupKeys(
  messages: MessageCollection,
  {
    groupKeys,
    keep,
  }: {
    groupKeys: Pick<GroupKeys, 'take'>
    keep: (secrets: readonly EpochMessage[]) => Promise<void>
  },
): Promise<() => void> {
  function take(documents: readonly StoredMessage[]) {
    const secrets = documents.flatMap((one) => (one.epoch ? [{ ...one, epoch: one.epoch }] : []))
    if (secrets.length === 0) return
    groupKeys.take(secrets)
    // Without it a push of the group says no words until the app has come once more.
    keep(secrets).catch(() => {})
  }
  const unsubscribe = subscribeToChanges(messages, ({ documents }) => take(documents))
  take(
    await queryDocuments(messages, {
      selector: { starOrder: epochOrder },
      sort: [{ starOrder: 'asc' }],
      index: ['starOrder'],
    }),
  )
  return unsubscribe
}

/** Keeps what opens pushed messages where the service worker reads it. */
async function keepBoxes(
  table: EntityTable<StoredGroupBox, '_id'>,
  { userId, secrets }: { userId: string; secrets: readonly EpochMessage[] },
): Promise<void> {
  const own = secrets.flatMap(({ _id, peerId, senderId, orderedAt, epoch }): StoredGroupBox[] => {
    const { v, name, boxes } = epoch
    const box = boxes[userId]
    const place = { _id, groupId: peerId, makerId: senderId, orderedAt }
    return box === undefined ? [] : [{ ...place, v, name, box }]
  })
  const known = await table.bulkGet(own.map(({ _id }) => _id))
  const isNew = (_: unknown, index: number) => known[index] === undefined
  await table.bulkPut(own.filter(isNew))
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
  options: DatabaseOptions & { sealing: Sealing; refusals: GroupRefusals },
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
          options: { sealing: options.sealing, ownerId: options.userId },
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

/**
 * Reads the range between two keys with one request when the index alone answers the query. RxDB
 * uses a cursor: one page task per document, and no answer at all when IndexedDB fails midway.
 */
function readRangesAtOnce(storage: RxStorageDexie): void {
  const create = storage.createStorageInstance.bind(storage)
  storage.createStorageInstance = async (parameters) => {
    const instance = await create(parameters)
    const walk = instance.query.bind(instance)
    instance.query = async (prepared) =>
      isRange(prepared) ? { documents: await readRange(instance, prepared) } : walk(prepared)
    return instance
  }
}

function isRange<T>({ query, queryPlan }: PreparedQuery<T>): boolean {
  const isPlain = !query.skip && query.limit !== 0
  return isPlain && queryPlan.selectorSatisfiedByIndex && queryPlan.sortSatisfiedByIndex
}

async function readRange<T>(
  instance: RxStorageInstanceDexie<T>,
  { query, queryPlan }: PreparedQuery<T>,
): Promise<RxDocumentData<T>[]> {
  const { dexieDb, dexieTable, booleanIndexes } = await instance.internals
  const range = makeRange(() =>
    getKeyRangeByQueryPlan(booleanIndexes, queryPlan, rangesOf(dexieDb)),
  )
  if (!range) return []
  const indexName = `[${queryPlan.index.join('+')}]`
  const stored = await dexieDb.transaction('r', dexieTable, ({ idbtrans }: Transaction) => {
    const index = idbtrans.objectStore(DEXIE_DOCS_TABLE_NAME).index(indexName)
    return settleRequest(index.getAll(range, query.limit))
  })
  return stored.map((document) => fromDexieToStorage<T>(booleanIndexes, document))
}

/** Undefined for a range that ends before it begins, which IndexedDB rejects. */
function makeRange(make: () => IDBKeyRange): IDBKeyRange | undefined {
  try {
    return make()
  } catch (cause) {
    if (cause instanceof Error && cause.name === 'DataError') return undefined
    throw cause
  }
}

/** The `IDBKeyRange` that the database was opened with: tests inject their own. */
function rangesOf(dexie: object): typeof IDBKeyRange | undefined {
  return (dexie as { _options?: { IDBKeyRange?: typeof IDBKeyRange } })._options?.IDBKeyRange
}

interface Places {
  /**
   * The `orderedAt` of a message sent now: after everything this device has seen in the
   * conversation.
   * Never the clock's time, so a fast clock cannot put a message out of sight.
   */
  nextOrderedAt(peerId: string): Promise<number>
  close(): void
}

/**
 * Reads a conversation's newest place once, for the first message sent there, then follows every
 * write: a new read would wait for earlier writes, and delay the message.
 */
export function createPlaces({
  messages,
  conversations,
}: {
  messages: MessageCollection
  conversations: ConversationCollection
}): Places {
  const newest = new Map<string, number>()
  const readings = new Map<string, Promise<void>>()

  function raise(peerId: string, place: number) {
    newest.set(peerId, Math.max(newest.get(peerId) ?? 0, place))
  }

  function follow(peerId: string, place: number) {
    if (readings.has(peerId)) raise(peerId, place)
  }

  async function read(peerId: string) {
    const [message, found] = await Promise.all([
      findNewestMessage(messages, peerId),
      readDocuments(conversations, [peerId]),
    ])
    raise(peerId, Math.max(message?.orderedAt ?? 0, found.get(peerId)?.lastMessageAt ?? 0))
  }

  /** One shared read for all waiting messages; after a failure the next message retries. */
  function readOnce(peerId: string): Promise<void> {
    const known = readings.get(peerId)
    if (known !== undefined) return known
    const reading = read(peerId)
    readings.set(peerId, reading)
    reading.catch(() => readings.delete(peerId))
    return reading
  }

  const unsubscribes = [
    subscribeToChanges(messages, ({ documents }) => {
      for (const { peerId, orderedAt } of documents) follow(peerId, orderedAt)
    }),
    subscribeToChanges(conversations, ({ documents }) => {
      for (const { _id, lastMessageAt } of documents) follow(_id, lastMessageAt)
    }),
  ]

  return {
    async nextOrderedAt(peerId) {
      await readOnce(peerId)
      const place = (newest.get(peerId) ?? 0) + 1
      newest.set(peerId, place)
      return place
    },
    close() {
      for (const unsubscribe of unsubscribes) unsubscribe()
    },
  }
}

interface Tables {
  documents: DBCoreTable
  notes: DBCoreTable
}

/**
 * Deletes a file in the same transaction that stores its message's deletion (P8), unless an unsent
 * or starred message shows the same file (P1): the cleanup removes it once no message needs it.
 */
function dropFiles(dexie: Dexie): void {
  dexie.use({
    stack: 'dbcore',
    name: 'dropFiles',
    create: (core: DBCore) => ({
      ...core,
      table(tableName: string) {
        const documents = core.table(tableName)
        if (tableName !== 'docs') return documents
        return { ...documents, mutate: createMutate({ documents, notes: core.table(noteTable) }) }
      },
    }),
  })
}

function createMutate(tables: Tables): DBCoreTable['mutate'] {
  return (request: DBCoreMutateRequest) => {
    const { type, trans } = request
    const written = tables.documents.mutate(request)
    const values: readonly StoredMessage[] = type === 'put' || type === 'add' ? request.values : []
    const deleted = values.flatMap(({ _id, deletedAt }) => (deletedAt ? _id : []))
    if (deleted.length === 0) return written
    // Its result is Dexie's own promise, which carries the transaction.
    return written.then((result) => drop(tables, trans, deleted).then(() => result))
  }
}

/**
 * Runs after the write, so that messages deleted together no longer hold on to the file. Uses only
 * Dexie's own promises: they carry the transaction, and an `await` may lose it.
 */
function drop(
  { documents, notes }: Tables,
  trans: DBCoreTransaction,
  messageIds: readonly string[],
): PromiseLike<void> {
  const keys = messageIds.map((id) => filePrefix + id)
  return notes.getMany({ trans, keys }).then((found) => {
    const kept = messageIds.filter((_, at) => found[at] !== undefined)
    if (kept.length === 0) return
    return findHeld({ documents, notes }, trans, new Set(kept)).then((held) => {
      const leaving = kept.filter((id) => !held.has(id)).map((id) => filePrefix + id)
      if (leaving.length === 0) return
      return notes.mutate({ type: 'delete', trans, keys: leaving }).then(({ failures }) => {
        for (const failure of Object.values(failures)) throw failure
      })
    })
  })
}

/** Which of these messages store bytes that another message needs and does not store itself? */
function findHeld(
  { documents, notes }: Tables,
  trans: DBCoreTransaction,
  messageIds: ReadonlySet<string>,
): PromiseLike<Set<string>> {
  return listWantedAddresses(documents, trans).then((wanting) => {
    const keys = wanting.map(({ mediaUrl }) => addressPrefix + mediaUrl)
    return notes.getMany({ trans, keys }).then((named: ({ messageId?: string } | undefined)[]) => {
      const candidates = wanting.flatMap(({ _id }, at) => {
        const holder = named[at]?.messageId
        return holder !== undefined && messageIds.has(holder) ? [{ _id, holder }] : []
      })
      const ownKeys = candidates.map(({ _id }) => filePrefix + _id)
      return notes
        .getMany({ trans, keys: ownKeys })
        .then(
          (own) =>
            new Set(candidates.flatMap(({ holder }, at) => (own[at] === undefined ? holder : []))),
        )
    })
  })
}

/** The starred and the unsent messages that have an address. */
function listWantedAddresses(
  documents: DBCoreTable,
  trans: DBCoreTransaction,
): PromiseLike<{ _id: string; mediaUrl: string }[]> {
  const queries = wantingRanges.map(({ index: keyPath, lower, upper }) => {
    const index = documents.schema.getIndexByKeyPath(keyPath)
    if (!index) throw new Error(`Messages have no index of ${keyPath.join(', ')}.`)
    const range = { type: rangeType, lower, upper }
    return documents.query({ trans, values: true, query: { index, range } })
  })
  return Dexie.Promise.all(queries).then((answers) =>
    answers
      .flatMap(({ result }) => result as readonly StoredMessage[])
      .flatMap(({ _id, mediaUrl }) => (mediaUrl === undefined ? [] : { _id, mediaUrl })),
  )
}
