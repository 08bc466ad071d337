import { Dexie, type EntityTable, liveQuery } from 'dexie'
import type { KnownPerson } from './known-person.ts'
import type { RequestEntry } from './queued-request.ts'

/** What one tab has written and not yet sent in one conversation. */
export interface StoredDraft {
  /** The other person; for a second tab and each further one with its number behind: `<person>/1`. */
  _id: string
  text: string
  /** The id of the message that it answers. */
  replyTo?: string | undefined
  /** A change of an own message that is not saved yet. */
  edit?: DraftEdit | undefined
  /** What the beginning of the text is about to become. Once that message is stored, those words are no draft. */
  sending?: { messageId: string; text: string } | undefined
  /** When it was written, epoch ms of this device: the later of two wins. */
  at: number
}

export interface DraftEdit {
  messageId: string
  text: string
}

/** `order` is given when it is added. */
type StoredRequest = RequestEntry & { order: number }

/** How far a collection is in step with the server, as the server counts. */
export interface StoredEpoch {
  /** The collection. */
  _id: string
  /** In which epoch of the server its checkpoints count. */
  epoch: string
  /** It is not the first: the checkpoints have its name. */
  isRenewed: boolean
}

/** A change that is shown as done and can still be undone. */
export type WithheldChange =
  | { kind: 'delete'; messageId: string }
  | { kind: 'clear'; peerId: string; upTo: number }

export interface StoredWithheld {
  _id: string
  /** The number of the tab that writes it when its time is over. */
  slot: number
  /** Epoch ms. */
  at: number
  change: WithheldChange
}

/** What stays on this device and is never replicated: people as they were last heard of, drafts, and requests that wait. */
export interface DeviceStore {
  people: EntityTable<KnownPerson, '_id'>
  drafts: EntityTable<StoredDraft, '_id'>
  requests: EntityTable<StoredRequest, 'order'>
  epochs: EntityTable<StoredEpoch, '_id'>
  withheld: EntityTable<StoredWithheld, '_id'>
  close(): void
  /** Closes it and takes all of it off the device. */
  remove(): Promise<void>
}

export async function openDeviceStore(options: {
  name: string
  indexedDB?: IDBFactory
  IDBKeyRange?: typeof globalThis.IDBKeyRange
}): Promise<DeviceStore> {
  const { name, indexedDB, IDBKeyRange } = options
  const dexie = new Dexie(`${name}-device`, {
    ...(indexedDB && { indexedDB }),
    ...(IDBKeyRange && { IDBKeyRange }),
  }) as Dexie & Pick<DeviceStore, 'people' | 'drafts' | 'requests' | 'epochs' | 'withheld'>
  // Dexie's live queries want to know of an IndexedDB beside the one that each database is given.
  if (indexedDB) Dexie.dependencies.indexedDB ??= indexedDB
  dexie.version(4).stores({
    people: '_id',
    drafts: '_id',
    requests: '++order, &_id, resource',
    epochs: '_id',
    withheld: '_id',
  })
  await dexie.open()
  return {
    people: dexie.people,
    drafts: dexie.drafts,
    requests: dexie.requests,
    epochs: dexie.epochs,
    withheld: dexie.withheld,
    close: () => dexie.close(),
    remove: () => dexie.delete(),
  }
}

/** Calls back with everything in a table, now and after every write by any tab, until it is stopped. */
export function subscribeToTable<T, Key extends keyof T>(
  table: EntityTable<T, Key>,
  listeners: { onRows: (rows: T[]) => void; onError: (cause: unknown) => void },
): () => void {
  const subscription = liveQuery(() => table.toArray()).subscribe({
    next: listeners.onRows,
    error: listeners.onError,
  })
  return () => subscription.unsubscribe()
}
