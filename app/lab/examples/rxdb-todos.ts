import { createRxDatabase, type RxConflictHandler } from 'rxdb'
import { replicateCouchDB } from 'rxdb/plugins/replication-couchdb'
import { getRxStorageDexie } from 'rxdb/plugins/storage-dexie'
import type { World } from '../kit/lab.ts'

/** One thing to do. */
export interface Todo {
  id: string
  title: string
  done: boolean
}

const schema = {
  version: 0,
  primaryKey: 'id',
  type: 'object',
  properties: {
    id: { type: 'string', maxLength: 100 },
    title: { type: 'string' },
    done: { type: 'boolean' },
  },
  required: ['id', 'title', 'done'],
} as const

/** A to-do list on RxDB, as its documentation builds one, replicated with a CouchDB. */
export async function openRxdbTodos(
  world: World,
  options: {
    conflictHandler?: RxConflictHandler<Todo>
    /** Begins a new pull when the network is back, as RxDB's does not. */
    isResynced?: boolean
  } = {},
) {
  const database = await createRxDatabase({
    name: `${world.lab}-${world.device}`,
    storage: getRxStorageDexie({ indexedDB: world.indexedDB, IDBKeyRange: world.IDBKeyRange }),
    multiInstance: false,
    // The tab before this one was killed, and may still be closing.
    closeDuplicates: true,
  })
  const { todos } = await database.addCollections({
    todos: { schema, ...(options.conflictHandler && { conflictHandler: options.conflictHandler }) },
  })
  const replication = replicateCouchDB({
    replicationIdentifier: 'todos',
    collection: todos,
    url: `${world.url}${world.lab}/`,
    fetch: world.fetch,
    live: true,
    retryTime: 60,
    waitForLeadership: false,
    pull: { heartbeat: 5_000 },
    push: {},
  })
  const errors = replication.error$.subscribe(({ code }) => {
    if (options.isResynced && code === 'RC_STREAM') setTimeout(() => replication.reSync(), 150)
  })
  const find = (id: string) => todos.findOne(id).exec()

  return {
    async read() {
      const all: { toJSON(): object }[] = await todos.find().exec()
      const plain = all.map((each) => each.toJSON() as Todo)
      return Object.fromEntries(plain.map(({ id, title, done }) => [id, { title, done }]))
    },
    async close() {
      errors.unsubscribe()
      await database.close()
    },
    add: (id: string, title: string) => todos.insert({ id, title, done: false }),
    async rename(id: string, title: string) {
      await (await find(id))?.incrementalPatch({ title })
    },
    async check(id: string) {
      await (await find(id))?.incrementalPatch({ done: true })
    },
  }
}

/** What many write first: the own version as a whole. */
export const lastWriterWins: RxConflictHandler<Todo> = {
  isEqual: (a, b) => mergeFields.isEqual(a, b, 'same'),
  resolve: async ({ newDocumentState }) => newDocumentState,
}

/** Merges field by field: what one side left as it was comes from the other. */
export const mergeFields: RxConflictHandler<Todo> = {
  isEqual: (a, b) =>
    a.title === b.title && a.done === b.done && Boolean(a._deleted) === Boolean(b._deleted),
  async resolve({ newDocumentState: own, realMasterState: theirs, assumedMasterState: base }) {
    return {
      ...theirs,
      title: base && own.title === base.title ? theirs.title : own.title,
      done: own.done || theirs.done,
    }
  },
}
