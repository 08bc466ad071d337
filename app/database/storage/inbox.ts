/** The inbox's database. The prefix has the person's id, so that an owed erasure finds it. */
const inboxKey = (prefix: string) => `${prefix}-inbox`

/** A document of the server, as the service worker fetched it. */
export interface InboxDocument {
  /** `people`: the public record of who wrote, not a replicated document. */
  collection: 'messages' | 'conversations' | 'people'
  _id: string
  /** The server's epoch: another one's documents belong to another history. */
  epoch: string
  document: { _id: string } & Record<string, unknown>
  /** When it was fetched, epoch ms. */
  at: number
}

/** What a person did in a notification, with no page to store it in their database. */
export type InboxCommand = { id: string; peerId: string; at: number; isGroup?: boolean } & (
  | { kind: 'reply'; text: string }
  | { kind: 'read'; messageId: string; upTo?: number }
)

/** A chat with unread messages that the badge counts: neither muted nor archived. */
export interface UnreadChat {
  peerId: string
  count: number
  /** The place of the newest message. */
  upTo: number
}

/**
 * One person's meeting place of the service worker and the app: documents for the app to take in,
 * and commands to carry out. The app erases it with the rest of the person's data.
 */
export interface Inbox {
  /** Keeps documents; beyond `inboxMax` the oldest make room. */
  keep(documents: readonly InboxDocument[]): Promise<void>
  list(): Promise<InboxDocument[]>
  drop(documents: readonly Pick<InboxDocument, 'collection' | '_id'>[]): Promise<void>
  /** Resolves when the device has stored it (P1). */
  addCommand(command: InboxCommand): Promise<void>
  /** Oldest first. */
  listCommands(): Promise<InboxCommand[]>
  dropCommand(id: string): Promise<void>
  /** What the app's badge shows. */
  readUnread(): Promise<UnreadChat[]>
  setUnread(chats: readonly UnreadChat[]): Promise<void>
  /** Deletes all of it from the device. */
  erase(): Promise<void>
}

/** About a megabyte: what a person reads first. The rest comes by replication. */
const inboxMax = 200

const stores = ['documents', 'commands', 'state'] as const
type StoreName = (typeof stores)[number]
/** Apart from `unread`, which an earlier build wrote as a number. */
const unreadKey = 'unread-chats'

/** Opens the database for each call only: neither an erasure nor a new version waits for it. */
export function createInbox({
  name,
  indexedDB = globalThis.indexedDB,
}: {
  /** The name prefix of this person's databases. */
  name: string
  indexedDB?: IDBFactory | undefined
}): Inbox {
  async function run<T>(
    storeName: StoreName,
    mode: IDBTransactionMode,
    work: (store: IDBObjectStore) => IDBRequest<T> | undefined,
  ): Promise<T | undefined> {
    const database = await open(indexedDB, inboxKey(name))
    try {
      const transaction = database.transaction(storeName, mode)
      const request = work(transaction.objectStore(storeName))
      await new Promise<void>((resolve, reject) => {
        transaction.oncomplete = () => resolve()
        transaction.onabort = () => reject(transaction.error ?? new Error('Nothing was stored.'))
      })
      return request?.result
    } finally {
      database.close()
    }
  }

  async function list() {
    const all = (await run<InboxDocument[]>('documents', 'readonly', (s) => s.getAll())) ?? []
    return all.toSorted((a, b) => a.at - b.at)
  }

  async function drop(documents: readonly Pick<InboxDocument, 'collection' | '_id'>[]) {
    if (documents.length === 0) return
    await run('documents', 'readwrite', (store) => {
      for (const { collection, _id } of documents) store.delete([collection, _id])
      return undefined
    })
  }

  return {
    list,
    drop,
    async keep(documents) {
      if (documents.length === 0) return
      await run('documents', 'readwrite', (store) => {
        for (const document of documents) store.put(document)
        return undefined
      })
      const all = await list()
      await drop(all.slice(0, Math.max(0, all.length - inboxMax)))
    },
    addCommand: async (command) => {
      await run('commands', 'readwrite', (store) => store.put(command))
    },
    async listCommands() {
      const all = (await run<InboxCommand[]>('commands', 'readonly', (s) => s.getAll())) ?? []
      return all.toSorted((a, b) => a.at - b.at)
    },
    dropCommand: async (id) => {
      await run('commands', 'readwrite', (store) => store.delete(id))
    },
    readUnread: async () =>
      (await run<UnreadChat[]>('state', 'readonly', (store) => store.get(unreadKey))) ?? [],
    setUnread: async (chats) => {
      await run('state', 'readwrite', (store) => store.put([...chats], unreadKey))
    },
    erase: () => remove(indexedDB, inboxKey(name)),
  }
}

function open(indexedDB: IDBFactory, name: string): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(name, 1)
    opening.onupgradeneeded = () => {
      opening.result.createObjectStore('documents', { keyPath: ['collection', '_id'] })
      opening.result.createObjectStore('commands', { keyPath: 'id' })
      opening.result.createObjectStore('state')
    }
    opening.onsuccess = () => resolve(opening.result)
    opening.onerror = () => reject(opening.error)
  })
}

/** Waits for nobody: a call that has it open ends in a moment, and then it is gone. */
function remove(indexedDB: IDBFactory, name: string): Promise<void> {
  return new Promise((resolve) => {
    const removing = indexedDB.deleteDatabase(name)
    const end = () => resolve()
    removing.onsuccess = end
    removing.onblocked = end
    removing.onerror = end
  })
}
