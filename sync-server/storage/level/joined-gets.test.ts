import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ClassicLevel } from 'classic-level'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createFaultyDisk } from '../testing/faulty-disk.ts'
import { createJoinedGets } from './key-reads.ts'
import type { Level } from './level-store.ts'

/** A store with these keys, and its reads: the number of keys in each thread task. */
async function openCounted(keys: readonly string[], wrap = (level: Level) => level) {
  const folder = await mkdtemp(join(tmpdir(), 'petrel-gets-'))
  const level: Level = new ClassicLevel(folder)
  onTestFinished(async () => {
    await level.close()
    await rm(folder, { recursive: true })
  })
  await level.batch(keys.map((key) => ({ type: 'put' as const, key, value: `value of ${key}` })))
  const tasks: number[] = []
  const faulty = wrap(level)
  const counted = new Proxy(faulty, {
    get(target, name) {
      const member = Reflect.get(target, name, target)
      if (typeof member !== 'function') return member
      return (...given: unknown[]) => {
        if (name === 'get') tasks.push(1)
        if (name === 'getMany' && Array.isArray(given[0])) tasks.push(given[0].length)
        return Reflect.apply(member, target, given)
      }
    },
  })
  return { tasks, get: createJoinedGets(counted) }
}

const names = (count: number) => Array.from({ length: count }, (_, index) => `key ${index}`)

describe('P12: keys that are read in the same moment', () => {
  it('go to a thread a few together, and each gets its own value', async () => {
    const keys = names(70)
    const { get, tasks } = await openCounted(keys)
    const found = await Promise.all(keys.map((key) => get(key, 'utf8')))
    expect(found).toEqual(keys.map((key) => `value of ${key}`))
    expect(tasks).toEqual([32, 32, 6])
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

  it('fail alone when one of them cannot be read', async () => {
    const disk = createFaultyDisk()
    const keys = names(5)
    const { get } = await openCounted(keys, disk.wrapLevel)
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
