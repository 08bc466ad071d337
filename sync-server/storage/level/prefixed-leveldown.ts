import { randomUUID } from 'node:crypto'
import {
  AbstractIterator,
  AbstractLevelDOWN,
  type Leveldown,
  type RangeOptions,
} from 'abstract-leveldown'
import type { Level, LevelStore, Operation } from './level-store.ts'

/** Stores operations; rejects when none of them is stored. */
export type Sink = (operations: readonly Operation[]) => Promise<void>

/** What one PouchDB database sees of the store: keys behind a prefix. */
export interface View {
  /** What PouchDB writes goes there from now on; back into the store without a sink. */
  divert(sink: Sink | undefined): void
  /** Why something could not be read. PouchDB takes it for something that is not there. */
  readFailure(): unknown
}

const uuidKey = '\xffmeta-store\xff_local_uuid'
const localStore = '\xfflocal-store\xff'

/** The keys of a database: no name has a `!` in it. */
export function rangeOf(name: string) {
  return { gte: `${name}!`, lt: `${name}"` }
}

/**
 * A leveldown for PouchDB's `db` option: each database is a prefix in one store, so opening one costs no file.
 * @param onView told of each database that PouchDB opens, before it reads anything
 */
export function createPrefixedLeveldown(options: {
  store: LevelStore
  onView: (name: string, view: View) => void
}) {
  const { store, onView } = options

  // PouchDB calls it without `new`.
  function openView(name: string): Leveldown {
    const down = new AbstractLevelDOWN()
    const prefix = rangeOf(name).gte
    const state = {
      sink: store.write as Sink,
      failure: undefined as unknown,
      storedUuid: undefined as unknown,
      heldBack: [] as readonly Operation[],
    }
    onView(name, {
      divert(sink) {
        state.sink = sink ?? store.write
      },
      readFailure: () => state.failure,
    })

    function fail(error: unknown) {
      state.failure ??= error
      store.noteReadFailure(error)
    }

    down._get = (key, { asBuffer }, done) => {
      const valueEncoding = asBuffer ? 'buffer' : 'utf8'
      read(store, (level) =>
        level.get<string, string | Buffer>(prefix + key, { valueEncoding }),
      ).then(
        (value) => {
          if (key === uuidKey) state.storedUuid = value
          if (value === undefined) done(new Error('NotFound'))
          else done(null, value)
        },
        (error: unknown) => {
          fail(error)
          done(asError(error))
        },
      )
    }

    down._put = (key, value, rest, done) => down._batch([{ type: 'put', key, value }], rest, done)
    down._del = (key, rest, done) => down._batch([{ type: 'del', key }], rest, done)
    down._batch = (operations, _rest, done) => {
      const [first] = operations
      if (operations.length === 1 && first?.type === 'put' && first.key === uuidKey) {
        // PouchDB writes it at each opening. It waits for the first real write; what is only read stays untouched.
        if (first.value !== state.storedUuid) state.heldBack = addPrefix(prefix, operations)
        return process.nextTick(done)
      }
      const written = [...state.heldBack, ...addPrefix(prefix, operations)]
      // Checkpoints of clients change nothing else: they go past a sink that waits for documents.
      const isLocal = operations.every(({ key }) => key.startsWith(localStore))
      const store_ = isLocal ? store.write : state.sink
      store_(written).then(
        () => {
          state.heldBack = []
          done()
        },
        (error: unknown) => done(asError(error)),
      )
    }

    down._iterator = (range) => createIterator({ down, store, prefix, name, range, onError: fail })
    return down
  }

  // PouchDB shares open databases by this name: a second storage in this process has its own.
  Object.defineProperty(openView, 'name', { value: `prefixed-${randomUUID()}` })
  return openView
}

async function read<Found>(store: LevelStore, work: (level: Level) => Promise<Found>) {
  return await work(store.readNow() ?? (await store.read()))
}

function addPrefix(prefix: string, operations: readonly Operation[]): Operation[] {
  return operations.map((operation) => ({ ...operation, key: prefix + operation.key }))
}

function createIterator(options: {
  down: Leveldown
  store: LevelStore
  prefix: string
  name: string
  range: RangeOptions
  onError: (error: unknown) => void
}) {
  const { down, store, prefix, name, range, onError } = options
  const { reverse, limit, keys, values, keyAsBuffer, valueAsBuffer } = range
  const bounds = {
    ...(range.gt === undefined ? { gte: rangeOf(name).gte } : { gt: prefix + range.gt }),
    ...(range.gte === undefined ? {} : { gte: prefix + range.gte }),
    ...(range.lt === undefined ? { lt: rangeOf(name).lt } : { lt: prefix + range.lt }),
    ...(range.lte === undefined ? {} : { lte: prefix + range.lte }),
  }
  const asked = {
    ...bounds,
    ...{ reverse, limit, keys, values },
    keyEncoding: 'utf8',
    valueEncoding: valueAsBuffer ? 'buffer' : 'utf8',
  } as const
  const opening = read(store, async (level) => level.iterator<string, string | Buffer>(asked))
  const iterator = new AbstractIterator(down)

  iterator._next = (done) => {
    opening
      .then((opened) => opened.next())
      .then(
        (entry) => {
          if (!entry) return done()
          const [key, value] = entry
          const own = key.slice(prefix.length)
          done(null, keyAsBuffer ? Buffer.from(own) : own, value)
        },
        (error: unknown) => {
          // PouchDB hears no error of a stream of changes, and the process would end of it: the caller looks at `readFailure`.
          onError(error)
          done()
        },
      )
  }
  iterator._end = (done) => {
    opening
      .then((opened) => opened.close())
      .then(
        () => done(),
        () => done(),
      )
  }
  return iterator
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
