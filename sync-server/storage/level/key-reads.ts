import { LRUCache } from 'lru-cache'
import type { Level, Operation } from './level-store.ts'

/** Of all databases together: what a few thousand people who write now use again. */
const charactersRemembered = 16 * 1024 * 1024

/** An entry of V8's and of the cache's own. */
const charactersBesides = 200

/** One thread task, and what its answers cost the main thread: short enough for those who wait. */
const keysAtOnce = 32

/**
 * How long keys may be read on the main thread in one turn of its loop. From memory, where nearly all of them are, one
 * takes 3 µs, and handing it to a thread 30.
 */
const onMainThreadMs = 0.5

/** A read that took longer came from a disk that is slow: threads wait for it, for the time after. */
const slowReadMs = 1
const slowDiskForMs = 1_000

type Value = string | Buffer | undefined

type Encoding = 'utf8' | 'buffer'

interface Waiting {
  key: string
  resolve: (value: Value) => void
  reject: (error: unknown) => void
}

/**
 * Reads keys of one handle: the first of a turn on the main thread, as long as that takes next to no time, and what is
 * left joined into thread tasks. A page of documents becomes a few tasks, instead of hundreds that block everybody else's
 * reads.
 */
export function createJoinedGets(level: Level, { now = () => performance.now() } = {}) {
  const waiting = new Map<Encoding, Waiting[]>()
  const mainThread = { isCounting: false, spentMs: 0, slowUntil: Number.NEGATIVE_INFINITY }

  function countTurn() {
    if (mainThread.isCounting) return
    mainThread.isCounting = true
    setImmediate(() => {
      mainThread.isCounting = false
      mainThread.spentMs = 0
    })
  }

  /** Takes from the front of `all` what the main thread has time for. */
  function readOnMainThread(all: Waiting[]) {
    const clock = { at: now() }
    if (level.status !== 'open' || clock.at < mainThread.slowUntil) return
    countTurn()
    while (mainThread.spentMs < onMainThreadMs) {
      const one = all.shift()
      if (!one) return
      readNow(one)
      const at = now()
      const tookMs = at - clock.at
      clock.at = at
      mainThread.spentMs += tookMs
      if (tookMs > slowReadMs) mainThread.slowUntil = at + slowDiskForMs
    }
  }

  function readNow({ key, resolve, reject }: Waiting) {
    try {
      resolve(level.getSync<string, string>(key, { valueEncoding: 'utf8' }))
    } catch (error) {
      reject(error)
    }
  }

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
    // Bytes are pieces of files: large.
    if (valueEncoding === 'utf8') readOnMainThread(all)
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

export type JoinedGets = ReturnType<typeof createJoinedGets>

/** What one database's keys hold, as long as all its writes go through `write`. */
export interface RecentView {
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
