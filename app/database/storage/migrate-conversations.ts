import {
  addConnectedStorageToCollection,
  getRxReplicationMetaInstanceSchema,
  type RxStorageReplicationMeta,
} from 'rxdb/plugins/core'
import {
  areConversationsEqual,
  conversationDocument,
  mergeConversations,
} from '../../../schema/conversation.ts'
import { changeDocuments } from './change-document.ts'
import type { ConversationCollection } from './collections.ts'
import { noteTable } from './dexie/accompany-writes.ts'
import {
  deleteUnchanged,
  type EarlierContent,
  type EarlierPlatform,
  nameDatabase,
  readEarlier,
  type StoredRecord,
} from './dexie/earlier-database.ts'
import { readDexie } from './dexie/owed-notes.ts'
import {
  completeConversation,
  fromStoredConversation,
  type StoredConversation,
} from './stored-conversation.ts'

const earlierVersion = 0
/** RxDB's record of that version. An open tab of the earlier build needs it. */
const earlierRecord = `collection|conversations-${earlierVersion}`

/**
 * Takes over the conversations that a build of version 0 left, with what is owed and how far
 * replication is; resolves once they can be read. Then removes theirs, in the background: what an
 * open tab of that build writes meanwhile is merged in, now or at a later start.
 *
 * Killed anywhere, the next start goes on: the earlier database goes last.
 */
export async function migrateConversations(
  conversations: ConversationCollection,
  platform: EarlierPlatform,
): Promise<void> {
  const { database } = conversations
  const name = (collection: string) =>
    nameDatabase({ database: database.name, version: earlierVersion, collection })
  const read = () => readEarlier(name('conversations'), platform)
  const metas = await listMetas(database.internalStore)
  const earlier = (await isBlank(conversations)) ? await read() : undefined
  if (earlier) {
    for (const meta of metas) {
      const content = await readEarlier(name(meta), platform)
      if (content) await takeOverMeta(conversations, meta, content)
    }
    await takeOver(conversations, earlier)
  }

  async function removeEarlier() {
    const content = await read()
    if (!content) return
    await mergeIn(conversations, content)
    // A replication that finds none begins at the start, and loses nothing.
    for (const meta of metas) {
      // Another tab goes on, or the next start: without theirs, nobody would look for what is left.
      if (!(await deleteUnchanged(name(meta), undefined, platform))) return
    }
    if (!(await deleteUnchanged(name('conversations'), content, platform))) await removeEarlier()
  }
  // What fails stays there, and the next start goes on. Nothing waits: a frozen tab may hold it.
  removeEarlier().catch(() => {})
}

/**
 * Keeps RxDB from opening what an earlier build left when it removes everything: a frozen tab may
 * hold it. Deletes it once that is possible.
 */
export async function dropEarlier(
  { database, name }: ConversationCollection,
  { indexedDB = globalThis.indexedDB }: EarlierPlatform,
): Promise<void> {
  const metas = await listMetas(database.internalStore)
  const dexie = await readDexie(database.internalStore)
  await dexie.table('docs').delete(earlierRecord)
  for (const collection of [name, ...metas]) {
    indexedDB.deleteDatabase(
      nameDatabase({ database: database.name, version: earlierVersion, collection }),
    )
  }
}

/** The collections in which the replications of version 0 noted how far they were. */
async function listMetas(store: { internals: unknown }): Promise<string[]> {
  const stored = await (await readDexie(store)).table('docs').get(earlierRecord)
  const connected: { collectionName: string }[] = stored?.data.connectedStorages ?? []
  return connected.map(({ collectionName }) => collectionName)
}

/** Has nobody written into it, and has no replication begun? */
async function isBlank({ storageInstance }: ConversationCollection): Promise<boolean> {
  const dexie = await readDexie(storageInstance)
  const count = await dexie.table('docs').count()
  return (
    count === 0 &&
    (await dexie.table(noteTable).where('id').startsWith('mark|begun|').count()) === 0
  )
}

/** Documents and notes in one transaction: nothing of it, or all. */
async function takeOver(
  conversations: ConversationCollection,
  { documents, notes }: EarlierContent,
): Promise<void> {
  const dexie = await readDexie(conversations.storageInstance)
  const [stored, noted] = [dexie.table('docs'), dexie.table(noteTable)]
  await dexie.transaction('rw', stored, noted, async () => {
    // Another tab was first.
    if ((await stored.count()) > 0) return
    await stored.bulkPut(documents.map(completeRecord))
    // Exactly theirs: each write above made notes of its own.
    await noted.clear()
    await noted.bulkPut(notes)
  })
}

/** What a replication knows of the server: with it, it goes on where it was. */
async function takeOverMeta(
  conversations: ConversationCollection,
  collectionName: string,
  { documents }: EarlierContent,
): Promise<void> {
  const { database, schema } = conversations
  const metaSchema = getRxReplicationMetaInstanceSchema<StoredConversation, unknown>(
    schema.jsonSchema,
    false,
  )
  await addConnectedStorageToCollection(conversations, collectionName, metaSchema)
  const storage = await database.storage.createStorageInstance<
    RxStorageReplicationMeta<StoredConversation, unknown>
  >({
    databaseName: database.name,
    collectionName,
    databaseInstanceToken: database.token,
    multiInstance: database.multiInstance,
    options: {},
    schema: metaSchema,
    devMode: false,
  })
  const dexie = await readDexie(storage)
  const stored = dexie.table('docs')
  await dexie.transaction('rw', stored, async () => {
    if ((await stored.count()) > 0) return
    await stored.bulkPut(documents.map(completeMeta))
  })
  await storage.close()
}

function completeRecord(record: StoredRecord): StoredRecord {
  const { _id, _rev, _deleted, _meta, _attachments } = record
  return { ...completeConversation(record), _id, _rev, _deleted, _meta, _attachments }
}

function completeMeta(record: StoredRecord): StoredRecord {
  const { docData } = record as { docData?: StoredRecord }
  if (!docData) return record
  const { _deleted } = docData
  return { ...record, docData: { ...completeConversation(docData), _deleted } }
}

/** Merges what the earlier build wrote since (P5). What that changes is owed, like any change. */
async function mergeIn(
  conversations: ConversationCollection,
  { documents }: EarlierContent,
): Promise<void> {
  const earlier = new Map(documents.map((each) => [each._id, completeConversation(each)]))
  const find = (id: string) => earlier.get(id) as StoredConversation
  await changeDocuments(
    conversations,
    [...earlier.keys()],
    (stored, id) => {
      const [here, there] = [stored, find(id)].map((one) =>
        conversationDocument.safeParse(fromStoredConversation(one)),
      )
      if (!here?.success || !there?.success) return stored
      const merged = mergeConversations(here.data, there.data)
      return areConversationsEqual(merged, here.data) ? stored : merged
    },
    find,
  )
}
