import { randomUUID } from 'node:crypto'
import {
  AbstractIterator,
  AbstractLevelDOWN,
  type Leveldown,
  type RangeOptions,
} from 'abstract-leveldown'
import { LRUCache } from 'lru-cache'
import { must } from '../../../schema/helpers/assertions.ts'
import { StorageUnavailable } from '../documents/storage-errors.ts'
import type { Level, LevelStore, Operation } from './level-store.ts'
import { bySequence, documentStore } from './pouch-keys.ts'

/** Of all databases together: what a few thousand people who write now use again. */
const charactersRemembered = 16 * 1024 * 1024

/** An entry of V8's and of the cache's own. */
const charactersBesides = 200

/** One thread task, and what its answers cost the main thread: short enough for those who wait. */
const keysAtOnce = 32

/** Called with a read error, and the handle that it came through. */
type ReadFailed = (level: Level | undefined, error: unknown) => void

/** Stores operations; rejects when it stored none of them. */
export type Sink = (operations: readonly Operation[]) => Promise<void>

/** One PouchDB database's view of the store: keys behind a prefix. */
export interface View {
  /** Reads a key beside PouchDB. @returns undefined for a missing one */
  read(key: string): Promise<string | undefined>
  /** Redirects PouchDB's writes to a sink; without one, back into the store. */
  divert(sink: Sink | undefined): void
  /** Writes keys beside PouchDB: into the sink, or else into the store. */
  write(operations: readonly Operation[], sink?: Sink): Promise<void>
  /** The store's generation before the first read. */
  generation: number
  /** The first read error. PouchDB takes an unreadable key for a missing one. */
  readFailure(): unknown
  /** Blocks all further writes through it. */
  spoil(why: unknown): void
  /** Calls back at the first read error: PouchDB may never finish its operation. */
  onReadFailure(listener: (error: unknown) => void): () => void
  close(): void
}

const uuidKey = '\xffmeta-store\xff_local_uuid'
const localStore = '\xfflocal-store\xff'
/** PouchDB reads and removes it with each revision that it drops from a tree: it has no place. */
const nowhere = `${bySequence}0000000undefined`

const isOfDocument = (key: string) => key.startsWith(documentStore) || key.startsWith(bySequence)

/** A database's keys: no name contains `!`. */
export function rangeOf(name: string) {
  return { gte: `${name}!`, lt: `${name}"` }
}

/**
 * A leveldown for PouchDB's `db` option: each database is a prefix in one store, so opening one
 * costs no file.
 */
export function createPrefixedLeveldown(store: LevelStore) {
  /** What PouchDB gets for each database whose view was opened last. */
  const downs = new Map<string, Leveldown>()
  const joined = new WeakMap<Level, JoinedGets>()
  const recentKeys = createRecentKeys({ isRemembered: isOfDocument })

  function getFrom(level: Level): JoinedGets {
    const found = joined.get(level) ?? createJoinedGets(level)
    joined.set(level, found)
    return found
  }

  function openView(name: string): View {
    const down = new AbstractLevelDOWN()
    const prefix = rangeOf(name).gte
    const generation = store.generation()
    const writeOwn: Sink = (operations) => store.write(operations, { generation })
    const recent = recentKeys.openView()
    const listeners = new Set<(error: unknown) => void>()
    const state = {
      sink: writeOwn,
      failure: undefined as unknown,
      storedUuid: undefined as unknown,
      heldBack: [] as readonly Operation[],
    }

    function read(key: string, encoding: 'buffer' | 'utf8') {
      return readWith(store, fail, (level) => getFrom(level)(prefix + key, encoding))
    }

    const view: View = {
      read: (key) =>
        recent.read(key, async () => {
          const value = await read(key, 'utf8')
          return value === undefined ? undefined : String(value)
        }),
      divert(sink) {
        state.sink = sink ?? writeOwn
      },
      write: (operations, sink = writeOwn) => write(operations, sink),
      generation,
      readFailure: () => state.failure,
      spoil: recordFailure,
      onReadFailure(listener) {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
      close() {
        if (downs.get(name) === down) downs.delete(name)
      },
    }

    function recordFailure(error: unknown) {
      state.failure ??= error
      for (const listener of listeners) listener(error)
    }

    /**
     * PouchDB ignores the error and throws where nobody catches it, which would end the process.
     */
    function answer(done: () => void) {
      try {
        done()
      } catch (error) {
        recordFailure(error)
      }
    }

    async function write(operations: readonly Operation[], sink: Sink) {
      // It may build on something unreadable.
      if (state.failure !== undefined) {
        throw new StorageUnavailable('something stored could not be read')
      }
      const written = [...state.heldBack, ...addPrefix(prefix, operations)]
      await recent.write(operations, () => sink(written))
      state.heldBack = []
    }

    const fail: ReadFailed = (level, error) => {
      store.recordReadFailure(level, error)
      recordFailure(error)
    }

    down._get = (key, { asBuffer }, done) => {
      if (key === nowhere) {
        return process.nextTick(answer, () => done(new Error('NotFound')))
      }
      read(key, asBuffer ? 'buffer' : 'utf8').then(
        (value) => {
          if (key === uuidKey) state.storedUuid = value
          answer(() => (value === undefined ? done(new Error('NotFound')) : done(null, value)))
        },
        (error: unknown) => answer(() => done(asError(error))),
      )
    }

    down._put = (key, value, rest, done) => down._batch([{ type: 'put', key, value }], rest, done)
    down._del = (key, rest, done) => down._batch([{ type: 'del', key }], rest, done)
    down._batch = (operations, _rest, done) => {
      const [first] = operations
      if (operations.length === 1 && first?.type === 'put' && first.key === uuidKey) {
        // PouchDB writes it at each opening. Deferred to the first real write; a database that is
        // only read stays unchanged.
        if (first.value !== state.storedUuid) state.heldBack = addPrefix(prefix, operations)
        return process.nextTick(done)
      }
      const real = operations.filter(({ key }) => key !== nowhere)
      // Client checkpoints change nothing else: they bypass a sink that waits for documents.
      const isLocal = operations.every(({ key }) => key.startsWith(localStore))
      const sink = isLocal ? writeOwn : state.sink
      write(real, sink).then(
        () => answer(done),
        (error: unknown) => answer(() => done(asError(error))),
      )
    }

    down._iterator = (range) => createIterator({ down, store, prefix, name, range, fail, answer })
    downs.set(name, down)
    return view
  }

  // PouchDB calls it without `new`.
  const connect = (name: string): Leveldown => must(downs.get(name), `a view of ${name}`)
  // PouchDB shares open databases by this name: a second storage in this process needs its own.
  Object.defineProperty(connect, 'name', { value: `prefixed-${randomUUID()}` })

  return {
    /** Before PouchDB may open a database: what is read and written in it, from now on. */
    openView,
    connect,
  }
}

async function readWith<Found>(
  store: LevelStore,
  fail: ReadFailed,
  work: (level: Level) => Promise<Found>,
): Promise<Found> {
  let level: Level | undefined
  try {
    level = store.readNow() ?? (await store.read())
    return await work(level)
  } catch (error) {
    fail(level, error)
    throw error
  }
}

function addPrefix(prefix: string, operations: readonly Operation[]): Operation[] {
  return operations.map((operation) =>
    operation.type === 'del'
      ? { type: 'del', key: prefix + operation.key }
      : { type: 'put', key: prefix + operation.key, value: operation.value },
  )
}

function createIterator(options: {
  down: Leveldown
  store: LevelStore
  prefix: string
  name: string
  range: RangeOptions
  fail: ReadFailed
  answer: (done: () => void) => void
}) {
  const { down, store, prefix, name, range, fail, answer } = options
  const { reverse, limit, keys, values, keyAsBuffer, valueAsBuffer } = range
  const bounds = {
    ...(range.gt === undefined ? { gte: rangeOf(name).gte } : { gt: prefix + range.gt }),
    ...(range.gte === undefined ? {} : { gte: prefix + range.gte }),
    ...(range.lt === undefined ? { lt: rangeOf(name).lt } : { lt: prefix + range.lt }),
    ...(range.lte === undefined ? {} : { lte: prefix + range.lte }),
  }
  const asked = {
    ...bounds,
    reverse,
    limit,
    keys,
    values,
    keyEncoding: 'utf8',
    valueEncoding: valueAsBuffer ? 'buffer' : 'utf8',
  } as const
  const opening = readWith(store, fail, async (level) => ({
    level,
    opened: level.iterator<string, string | Buffer>(asked),
  }))
  opening.catch(() => undefined)
  const iterator = new AbstractIterator(down)

  async function readNext() {
    const { level, opened } = await opening
    return await opened.next().catch((error: unknown) => {
      fail(level, error)
      throw error
    })
  }

  iterator._next = (done) => {
    readNext().then(
      (entry) =>
        answer(() => {
          if (!entry) return done()
          const [key, value] = entry
          const own = key.slice(prefix.length)
          done(null, keyAsBuffer ? Buffer.from(own) : own, value)
        }),
      // PouchDB handles no error of a changes stream, which would end the process: the caller
      // checks `readFailure`.
      () => answer(done),
    )
  }
  iterator._end = (done) => {
    opening
      .then(({ opened }) => opened.close())
      .then(
        () => answer(done),
        () => answer(done),
      )
  }
  return iterator
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}

type Value = string | Buffer | undefined

type Encoding = 'utf8' | 'buffer'

interface Waiting {
  key: string
  resolve: (value: Value) => void
  reject: (error: unknown) => void
}

/**
 * Reads keys of one handle, joining keys requested at the same moment into one thread task. A page
 * of documents becomes a few tasks, instead of hundreds that block everybody else's reads.
 */
export function createJoinedGets(level: Level) {
  const waiting = new Map<Encoding, Waiting[]>()

  async function readAlone(one: Waiting, valueEncoding: Encoding) {
    await level
      .get<string, string | Buffer>(one.key, { valueEncoding })
      .then(one.resolve, one.reject)
  }

  async function readTogether(group: readonly Waiting[], valueEncoding: Encoding) {
    const [only] = group
    if (only && group.length === 1) return await readAlone(only, valueEncoding)
    try {
      const keys = group.map(({ key }) => key)
      const values = await level.getMany<string, string | Buffer>(keys, { valueEncoding })
      for (const [index, { resolve }] of group.entries()) resolve(values[index])
    } catch {
      // One database's read failure must not spoil another's.
      for (const one of group) void readAlone(one, valueEncoding)
    }
  }

  function readAll(valueEncoding: Encoding) {
    const all = waiting.get(valueEncoding) ?? []
    waiting.delete(valueEncoding)
    while (all.length > 0) void readTogether(all.splice(0, keysAtOnce), valueEncoding)
  }

  /** @returns undefined for a missing key */
  return function get(key: string, valueEncoding: Encoding): Promise<Value> {
    return new Promise((resolve, reject) => {
      const others = waiting.get(valueEncoding)
      if (others) return void others.push({ key, resolve, reject })
      waiting.set(valueEncoding, [{ key, resolve, reject }])
      process.nextTick(readAll, valueEncoding)
    })
  }
}

type JoinedGets = ReturnType<typeof createJoinedGets>

/** What one database's keys hold, as long as all its writes go through `write`. */
interface RecentView {
  /** From memory, or else by `readStored`. @returns undefined for a missing key */
  read(key: string, readStored: () => Promise<string | undefined>): Promise<string | undefined>
  /** Remembers what `store` has stored. */
  write(operations: readonly Operation[], store: () => Promise<void>): Promise<void>
}

/**
 * Remembers what the keys of documents hold: a conversation rises all day, and each time is two
 * waits for a thread. A view lasts as long as nobody else writes to its database, so what is
 * remembered is what is stored.
 * @param isRemembered of which keys
 */
export function createRecentKeys({ isRemembered }: { isRemembered: (key: string) => boolean }) {
  const texts = new LRUCache<string, { text: string | undefined }>({
    maxSize: charactersRemembered,
    sizeCalculation: ({ text }, key) => key.length + (text?.length ?? 0) + charactersBesides,
  })
  const state = { views: 0 }

  function openView(): RecentView {
    state.views += 1
    const prefix = `${state.views} `
    const own = { writing: 0, writes: 0 }

    function record({ key, ...operation }: Operation) {
      if (!isRemembered(key)) return
      const text = operation.type === 'put' ? operation.value : undefined
      if (typeof text === 'string') texts.set(prefix + key, { text })
      else texts.delete(prefix + key)
    }

    return {
      async read(key, readStored) {
        const found = texts.get(prefix + key)
        if (found) return found.text
        const { writes } = own
        const text = await readStored()
        // A write meanwhile may be newer than this read.
        const isNewest = own.writing === 0 && own.writes === writes
        if (isNewest && isRemembered(key)) texts.set(prefix + key, { text })
        return text
      },
      async write(operations, store) {
        own.writing += 1
        try {
          await store()
          for (const operation of operations) record(operation)
        } finally {
          own.writing -= 1
          own.writes += 1
        }
      },
    }
  }

  return { openView }
}
