import { Dexie, type Table } from 'dexie'
import { endLiveQueries } from '../storage/dexie/end-live-queries.ts'
import { readManyByRange } from '../storage/dexie/read-many-by-range.ts'

/** A segment's summary, known without reading it. Times are `orderedAt`. */
export interface SegmentHead {
  segment: number
  /** Assigned positions, including those emptied again. */
  size: number
  newest: number
  oldest: number
}

/** The message at each position. Empty positions have an empty id. */
export interface SegmentMembers {
  segment: number
  /** One string, LF between: a browser copies it much faster than a thousand. */
  ids: string
  orders: number[]
}

/** An index row: all terms of one bucket in one segment; see `posting-lines.ts`. */
export interface PostingRow {
  bucket: number
  segment: number
  lines: string
}

/** A message's place in the index. */
export interface Place {
  _id: string
  segment: number
  position: number
  orderedAt: number
  /** Detects whether the text is the indexed one. */
  print: number
}

export interface IndexState {
  key: 'state'
  format: number
  /** Every write raises it, so that a tab notices another tab's write. */
  generation: number
  /** Where reading the changes continues; undefined at the beginning. */
  checkpoint: unknown
  /** Messages read since the beginning, for the progress display. */
  scanned: number
  /** The marks of conversations whose cleared messages have left the index. */
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

/** Raise it when folding, splitting or the row format changes: the index is then rebuilt. */
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
