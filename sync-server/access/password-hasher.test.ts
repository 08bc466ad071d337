import { getPriority } from 'node:os'
import { afterEach, describe, expect, it } from 'vitest'
import {
  CallerGone,
  createPasswordHasher,
  HasherBusy,
  type PasswordHasher,
} from './password-hasher.ts'

const ann = { address: '192.0.2.1' }
const ben = { address: '192.0.2.2' }
const salt = 'AAAAAAAAAAAAAAAAAAAAAA'
const stored = /^\$scrypt\$ln=4,r=8,p=3\$A{22}\$[\w-]{43}$/

describe('password hasher', () => {
  const opened: PasswordHasher[] = []
  const open = (options: { cost?: number; threads?: number } = {}) => {
    const hasher = createPasswordHasher({ cost: 4, ...options })
    opened.push(hasher)
    return hasher
  }
  afterEach(async () => {
    for (const hasher of opened.splice(0)) await hasher.close()
  })

  it('knows the right password from a wrong one', async () => {
    const hasher = open()
    const hash = await hasher.hash({ password: 'correct horse', salt }, ann)
    expect(hash).toMatch(stored)
    const check = (password: string) => hasher.verify({ password, hash }, ann)
    expect(await check('correct horse')).toEqual({ isRight: true })
    expect(await check('Correct horse')).toEqual({ isRight: false })
  })

  it('checks against nobody without ever being right', async () => {
    const hasher = open()
    const guess = { password: 'guess', hash: undefined }
    expect(await hasher.verify(guess, ann)).toEqual({ isRight: false })
    expect(await hasher.verify(guess, ann)).toEqual({ isRight: false })
  })

  it('checks against nobody also when the first time fell into a flood', async () => {
    const hasher = open({ threads: 1 })
    const guess = { password: 'guess', hash: undefined }
    const flood = Array.from({ length: 101 }, () => hasher.hash({ password: 'x', salt }, ann))
    await expect(hasher.verify(guess, ann)).rejects.toBeInstanceOf(HasherBusy)
    await Promise.all(flood)
    expect(await hasher.verify(guess, ann)).toEqual({ isRight: false })
  })

  it('leaves the main thread free, and its priority as it was', async () => {
    const before = getPriority()
    const hasher = open({ cost: 14 })
    async function countTurns() {
      const state = { turns: 0, isOver: false }
      const takeTurns = () => {
        state.turns += 1
        if (!state.isOver) setImmediate(takeTurns)
      }
      takeTurns()
      await hasher.hash({ password: 'slow', salt }, ann)
      state.isOver = true
      return state.turns
    }
    // Thousands, unless this thread itself stood still; a handful each time, where it is the one that hashes.
    await expect.poll(countTurns).toBeGreaterThan(20)
    expect(getPriority()).toBe(before)
  })

  it('works on several threads at once: a quick one overtakes a slow one', async () => {
    const hash = await open().hash({ password: 'quick', salt }, ann)
    const hasher = open({ cost: 14, threads: 2 })
    const slowHash = await hasher.hash({ password: 'slow', salt }, ann)
    async function countQuick() {
      const state = { quick: 0, isSlowOver: false }
      const slow = hasher.verify({ password: 'slow', hash: slowHash }, ann).then(() => {
        state.isSlowOver = true
      })
      for (;;) {
        await hasher.verify({ password: 'quick', hash }, ann)
        if (state.isSlowOver) break
        state.quick += 1
      }
      await slow
      return state.quick
    }
    // Behind it, on a single thread, the first would be over only after it, each time. The start of the second thread
    // may take longer than the slow one does.
    await expect.poll(countQuick).toBeGreaterThan(0)
  })

  it('P12: refuses a flood from one address instead of growing, and nobody else', async () => {
    const hasher = open({ threads: 1 })
    const flood = Array.from({ length: 300 }, () => hasher.hash({ password: 'x', salt }, ann))
    expect(hasher.waiting()).toBe(100)
    const other = hasher.hash({ password: 'y', salt }, ben)
    const results = await Promise.allSettled(flood)
    const refused = results.filter((result) => result.status === 'rejected')
    // One of them was being hashed, a hundred waited.
    expect(refused).toHaveLength(199)
    expect(refused[0]?.reason).toBeInstanceOf(HasherBusy)
    expect(await other).toMatch(stored)
  })

  it('P12: gives others their turn while one address floods', async () => {
    const hasher = open({ threads: 1 })
    const order: string[] = []
    const note = (who: string) => () => order.push(who)
    const flood = Array.from({ length: 100 }, () =>
      hasher.hash({ password: 'x', salt }, ann).then(note('flood')),
    )
    const others = [1, 2, 3].map((index) =>
      hasher
        .hash({ password: 'y', salt }, { address: `198.51.100.${index}` })
        .then(note(`other ${index}`)),
    )
    await Promise.all([...flood, ...others])
    // The one being hashed, the one next in turn, and then everybody.
    expect(order.slice(0, 5)).toEqual(['flood', 'flood', 'other 1', 'other 2', 'other 3'])
    expect(order).toHaveLength(103)
  })

  it('P12: has room for one more address while many fill it', async () => {
    const hasher = open({ threads: 1 })
    const addresses = Array.from({ length: 11 }, (_, index) => ({ address: `203.0.113.${index}` }))
    const flood = addresses.flatMap((caller) =>
      Array.from({ length: 100 }, () => hasher.hash({ password: 'x', salt }, caller)),
    )
    expect(hasher.waiting()).toBe(1_000)
    const hashed = hasher.hash({ password: 'y', salt }, ann)
    await Promise.allSettled(flood)
    expect(await hashed).toMatch(stored)
  })

  it('P12: forgets who has gone', async () => {
    const hasher = open({ threads: 1 })
    const first = hasher.hash({ password: 'first', salt }, ann)
    const departures = Array.from({ length: 100 }, () => new AbortController())
    const flood = departures.map(({ signal }) =>
      hasher.hash({ password: 'x', salt }, { ...ann, gone: signal }),
    )
    for (const departure of departures) departure.abort()
    expect(hasher.waiting()).toBe(0)
    for (const result of await Promise.allSettled(flood)) {
      expect(result).toMatchObject({ status: 'rejected', reason: expect.any(CallerGone) })
    }
    const late = hasher.hash({ password: 'late', salt }, { ...ann, gone: AbortSignal.abort() })
    await expect(late).rejects.toBeInstanceOf(CallerGone)
    await first
    expect(await hasher.hash({ password: 'next', salt }, ann)).toMatch(stored)
  })

  it('ends what waits when it is closed', async () => {
    const hasher = open({ threads: 1, cost: 12 })
    const hashes = [
      hasher.hash({ password: 'x', salt }, ann),
      hasher.hash({ password: 'y', salt }, ben),
    ]
    const results = Promise.allSettled(hashes)
    await hasher.close()
    for (const { status } of await results) expect(status).toBe('rejected')
  })
})
