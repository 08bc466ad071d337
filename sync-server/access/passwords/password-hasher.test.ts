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
    const hash = await hasher.hash('correct horse', ann)
    expect(hash).toMatch(/^\$2b\$04\$/)
    expect(await hasher.verify({ password: 'correct horse', hash }, ann)).toBe(true)
    expect(await hasher.verify({ password: 'Correct horse', hash }, ann)).toBe(false)
  })

  it('checks against nobody without ever being right', async () => {
    const hasher = open()
    const guess = { password: 'guess', hash: undefined }
    expect(await hasher.verify(guess, ann)).toBe(false)
    expect(await hasher.verify(guess, ann)).toBe(false)
  })

  it('checks against nobody also when the first time fell into a flood', async () => {
    const hasher = open({ threads: 1 })
    const guess = { password: 'guess', hash: undefined }
    const flood = Array.from({ length: 101 }, () => hasher.hash('x', ann))
    await expect(hasher.verify(guess, ann)).rejects.toBeInstanceOf(HasherBusy)
    await Promise.all(flood)
    expect(await hasher.verify(guess, ann)).toBe(false)
  })

  it('leaves the main thread free, and its priority as it was', async () => {
    const before = getPriority()
    const hasher = open({ cost: 11 })
    const order: string[] = []
    const hashed = hasher.hash('slow', ann).then(() => order.push('hash'))
    await new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)))
    order.push('main thread')
    await hashed
    expect(order).toEqual(['main thread', 'hash'])
    expect(getPriority()).toBe(before)
  })

  it('works on several threads at once: a quick one overtakes a slow one', async () => {
    const hash = await open().hash('quick', ann)
    const hasher = open({ cost: 12, threads: 2 })
    const [slowHash] = await Promise.all([hasher.hash('slow', ann), hasher.hash('x', ann)])
    const order: string[] = []
    await Promise.all([
      hasher.verify({ password: 'slow', hash: slowHash }, ann).then(() => order.push('slow')),
      hasher.verify({ password: 'quick', hash }, ann).then(() => order.push('quick')),
    ])
    expect(order).toEqual(['quick', 'slow'])
  })

  it('P12: refuses a flood from one address instead of growing, and nobody else', async () => {
    const hasher = open({ threads: 1 })
    const flood = Array.from({ length: 300 }, () => hasher.hash('x', ann))
    expect(hasher.waiting()).toBe(100)
    const other = hasher.hash('y', ben)
    const results = await Promise.allSettled(flood)
    const refused = results.filter((result) => result.status === 'rejected')
    // One of them was being hashed, a hundred waited.
    expect(refused).toHaveLength(199)
    expect(refused[0]?.reason).toBeInstanceOf(HasherBusy)
    expect(await other).toMatch(/^\$2b\$/)
  })

  it('P12: gives others their turn while one address floods', async () => {
    const hasher = open({ threads: 1 })
    const order: string[] = []
    const note = (who: string) => () => order.push(who)
    const flood = Array.from({ length: 100 }, () => hasher.hash('x', ann).then(note('flood')))
    const others = [1, 2, 3].map((index) =>
      hasher.hash('y', { address: `198.51.100.${index}` }).then(note(`other ${index}`)),
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
      Array.from({ length: 100 }, () => hasher.hash('x', caller)),
    )
    expect(hasher.waiting()).toBe(1_000)
    const hashed = hasher.hash('y', ann)
    await Promise.allSettled(flood)
    expect(await hashed).toMatch(/^\$2b\$/)
  })

  it('P12: forgets who has gone', async () => {
    const hasher = open({ threads: 1 })
    const first = hasher.hash('first', ann)
    const departures = Array.from({ length: 100 }, () => new AbortController())
    const flood = departures.map(({ signal }) => hasher.hash('x', { ...ann, gone: signal }))
    for (const departure of departures) departure.abort()
    expect(hasher.waiting()).toBe(0)
    for (const result of await Promise.allSettled(flood)) {
      expect(result).toMatchObject({ status: 'rejected', reason: expect.any(CallerGone) })
    }
    const late = hasher.hash('late', { ...ann, gone: AbortSignal.abort() })
    await expect(late).rejects.toBeInstanceOf(CallerGone)
    await first
    expect(await hasher.hash('next', ann)).toMatch(/^\$2b\$/)
  })

  it('ends what waits when it is closed', async () => {
    const hasher = open({ threads: 1, cost: 12 })
    const hashes = [hasher.hash('x', ann), hasher.hash('y', ben)]
    const results = Promise.allSettled(hashes)
    await hasher.close()
    for (const { status } of await results) expect(status).toBe('rejected')
  })
})
