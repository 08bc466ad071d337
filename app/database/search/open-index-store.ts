import { Dexie, type Table } from 'dexie'
import { endLiveQueries } from '../storage/dexie/end-live-queries.ts'
import { readManyByRange } from '../storage/dexie/read-many-by-range.ts'

/** What is known of a segment without reading it. Times are `orderedAt`. */
export interface SegmentHead {
  segment: number
  /** Positions given out, with those that are empty again. */
  size: number
  newest: number
  oldest: number
}

/** Who is at which position. Empty positions have an empty id. */
export interface SegmentMembers {
  segment: number
  /** One string, LF between: a browser copies it much faster than a thousand. */
  ids: string
  orders: number[]
}

/** A row of the index: all terms of one bucket in one segment; see `posting-lines.ts`. */
export interface PostingRow {
  bucket: number
  segment: number
  lines: string
}

/** Where a message is in the index. */
export interface Place {
  _id: string
  segment: number
  position: number
  orderedAt: number
  /** Tells whether the text is the one that is in the index. */
  print: number
}

export interface IndexState {
  key: 'state'
  format: number
  /** Raised by every write, so that a tab knows when another one was faster. */
  generation: number
  /** Where reading the changes goes on; undefined at the beginning. */
  checkpoint: unknown
  /** Messages read since the beginning, for showing how far it is. */
  scanned: number
  /** The marks of the conversations whose cleared messages have left the index. */
  swept: Record<string, number>
}

export type IndexStore = Dexie & {
  state: Table<IndexState, 'state'>
  heads: Table<SegmentHead, number>
  members: Table<SegmentMembers, number>
  postings: Table<PostingRow, [bucket: number, segment: number]>
  places: Table<Place, string>
}

export interface IndexStoreOptions {
  databaseName: string
  indexedDB?: IDBFactory | undefined
  IDBKeyRange?: typeof globalThis.IDBKeyRange | undefined
}

/** Raise it when folding, splitting or the form of a row changes: the index is then made anew. */
const indexFormat = 2

export async function openIndexStore(options: IndexStoreOptions): Promise<IndexStore> {
  const { databaseName, indexedDB, IDBKeyRange } = options
  const store = new Dexie(`${databaseName}-search`, {
    ...(indexedDB && { indexedDB }),
    ...(IDBKeyRange && { IDBKeyRange }),
  }) as IndexStore
  store.version(1).stores({
    state: 'key',
    heads: 'segment',
    members: 'segment',
    postings: '[bucket+segment]',
    places: '_id',
  })
  endLiveQueries(store)
  readManyByRange(store)
  await store.transaction('rw', store.tables, async () => {
    const found = await store.state.get('state')
    if (found?.format === indexFormat) return
    await Promise.all(store.tables.map((table) => table.clear()))
    await store.state.put({ ...blankState, generation: (found?.generation ?? 0) + 1 })
  })
  return store
}

const blankState: IndexState = {
  key: 'state',
  format: indexFormat,
  generation: 0,
  checkpoint: undefined,
  scanned: 0,
  swept: {},
}
