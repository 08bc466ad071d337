import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ClassicLevel } from 'classic-level'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createFaultyDisk } from '../testing/faulty-disk.ts'
import { createJoinedGets } from './key-reads.ts'
import type { Level } from './level-store.ts'

interface Opening {
  wrap?: (level: Level) => Level
  /** What each read on the main thread takes, by a clock of its own. */
  readMs?: number
}

/** A store with these keys, and its reads: how many on the main thread, and the number of keys in each thread task. */
async function openCounted(keys: readonly string[], opening: Opening = {}) {
  const { wrap = (level) => level, readMs = 0.2 } = opening
  const folder = await mkdtemp(join(tmpdir(), 'petrel-gets-'))
  const level: Level = new ClassicLevel(folder)
  onTestFinished(async () => {
    await level.close()
    await rm(folder, { recursive: true })
  })
  await level.batch(keys.map((key) => ({ type: 'put' as const, key, value: `value of ${key}` })))
  const tasks: number[] = []
  const clock = { now: 0, reads: 0 }
  const faulty = wrap(level)
  const counted = new Proxy(faulty, {
    get(target, name) {
      const member = Reflect.get(target, name, target)
      if (typeof member !== 'function') return member
      return (...given: unknown[]) => {
        if (name === 'getSync') {
          clock.reads += 1
          clock.now += readMs
        }
        if (name === 'get') tasks.push(1)
        if (name === 'getMany' && Array.isArray(given[0])) tasks.push(given[0].length)
        return Reflect.apply(member, target, given)
      }
    },
  })
  return { tasks, clock, get: createJoinedGets(counted, { now: () => clock.now }) }
}

const names = (count: number) => Array.from({ length: count }, (_, index) => `key ${index}`)

describe('P12: keys that are read in the same moment', () => {
  it('are read at once for half a millisecond, then go to a thread a few together, and each gets its own value', async () => {
    const keys = names(70)
    const { get, tasks, clock } = await openCounted(keys)
    const found = await Promise.all(keys.map((key) => get(key, 'utf8')))
    expect(found).toEqual(keys.map((key) => `value of ${key}`))
    expect(clock.reads).toBe(3)
    expect(tasks).toEqual([32, 32, 3])
  })

  it('have half a millisecond between them in one turn, however often more are asked for', async () => {
    const { get, tasks, clock } = await openCounted(names(20))
    const turns = { count: 0, isOver: false }
    function countTurn() {
      turns.count += 1
      if (!turns.isOver) setImmediate(countTurn)
    }
    setImmediate(countTurn)
    for (const key of names(20)) await get(key, 'utf8')
    turns.isOver = true
    expect(clock.reads + tasks.length).toBe(20)
    expect(clock.reads).toBeLessThanOrEqual(3 * (turns.count + 1))
    expect(tasks).not.toEqual([])
  })

  it('wait on a thread for a second after one that a slow disk answered', async () => {
    const { get, tasks, clock } = await openCounted(names(4), { readMs: 2 })
    await get('key 0', 'utf8')
    expect([clock.reads, tasks]).toEqual([1, []])
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
    await get('key 1', 'utf8')
    expect([clock.reads, tasks]).toEqual([1, [1]])
    clock.now += 1_000
    await get('key 2', 'utf8')
    expect([clock.reads, tasks]).toEqual([2, [1]])
  })

  it('are read by a thread where they are pieces of files', async () => {
    const { get, tasks, clock } = await openCounted(names(1))
    await get('key 0', 'buffer')
    expect([clock.reads, tasks]).toEqual([0, [1]])
  })

  it('are undefined where nothing is, and bytes where bytes are asked for', async () => {
    const { get } = await openCounted(['there'])
    const [text, bytes, nothing] = await Promise.all([
      get('there', 'utf8'),
      get('there', 'buffer'),
      get('nowhere', 'utf8'),
    ])
    expect([text, String(bytes), nothing]).toEqual(['value of there', 'value of there', undefined])
    expect(bytes).toBeInstanceOf(Uint8Array)
  })

  it.each([
    ['on the main thread', 0],
    ['on a thread', 1],
  ])('fail alone when one of them cannot be read %s', async (_where, readMs) => {
    const disk = createFaultyDisk()
    const keys = names(5)
    const { get } = await openCounted(keys, { wrap: disk.wrapLevel, readMs })
    disk.failRead({ after: 2 })
    const found = await Promise.allSettled(keys.map((key) => get(key, 'utf8')))
    expect(found.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ])
  })
})
