import type { Level } from './level-store.ts'

type Value = string | Buffer | undefined
type Encoding = 'utf8' | 'buffer'

interface Waiting {
  key: string
  resolve: (value: Value) => void
  reject: (error: unknown) => void
}

/** One thread task, and what its answers cost the main thread: short enough for those who wait. */
const keysAtOnce = 32

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

export type JoinedGets = ReturnType<typeof createJoinedGets>
