import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createLedger, type Full, type GivenUp, type Lease } from './ledger.ts'

const must = (lease: Lease | Full): Lease => {
  if (typeof lease === 'string') throw new Error(`there was no room: ${lease}`)
  return lease
}

function open(limits: { perKey?: number; overall?: number } = {}) {
  const ledger = createLedger({ perKey: 4, overall: 8, lateAfterMs: 100, ...limits })
  const ended: [string, GivenUp][] = []
  const take = (name: string, asked: { key: string; lateMs?: number; isFixed?: boolean }) =>
    ledger.take({
      key: asked.key,
      amount: 1,
      lateMs: () => asked.lateMs ?? 0,
      ...(asked.isFixed ? {} : { end: (why: GivenUp) => ended.push([name, why]) }),
    })
  return { ledger, ended, take }
}

describe('P12: a ledger', () => {
  it('gives a key so much, and all of them so much', () => {
    const { take, ledger } = open()
    const fixed = { isFixed: true }
    for (const name of ['1', '2', '3', '4']) must(take(name, { key: 'ann', ...fixed }))
    expect(take('5', { key: 'ann', ...fixed })).toBe('key')
    for (const name of ['1', '2', '3', '4']) must(take(name, { key: 'ben', ...fixed }))
    expect(take('1', { key: 'cyd', ...fixed })).toBe('all')
    expect(ledger.stats()).toEqual({ taken: 8, keys: 2, refused: 2, ended: 0 })
  })

  it('has room again for what is given back, and counts it once', () => {
    const { take, ledger } = open({ perKey: 1 })
    const lease = must(take('1', { key: 'ann' }))
    lease.release()
    lease.release()
    must(take('2', { key: 'ann' }))
    expect(take('3', { key: 'ann' })).toBe('key')
    expect(ledger.stats().taken).toBe(1)
  })

  it('ends what was late for longest among a key’s own, and nothing that was not', () => {
    const { take, ended } = open({ perKey: 3 })
    must(take('on time', { key: 'ann', lateMs: 99 }))
    must(take('late', { key: 'ann', lateMs: 200 }))
    must(take('later', { key: 'ann', lateMs: 300 }))
    must(take('new', { key: 'ann' }))
    must(take('newer', { key: 'ann' }))
    expect(ended).toEqual([
      ['later', 'late'],
      ['late', 'late'],
    ])
    expect(take('newest', { key: 'ann' })).toBe('key')
  })

  it('takes late ones from who holds most', () => {
    const { take, ended } = open({ overall: 5 })
    must(take('ben’s only one', { key: 'ben', lateMs: 9_000 }))
    for (const name of ['1', '2', '3', '4']) must(take(name, { key: 'ann', lateMs: 100 }))
    must(take('new', { key: 'cyd' }))
    expect(ended).toEqual([['1', 'late']])
  })

  it('where nobody is late, takes the newest from who holds most, and never makes them the poorer one', () => {
    const { take, ended } = open({ overall: 4 })
    for (const name of ['1', '2', '3']) must(take(name, { key: 'ann' }))
    must(take('ben’s', { key: 'ben' }))
    must(take('cyd’s', { key: 'cyd' }))
    expect(ended).toEqual([['3', 'share']])
    must(take('dan’s', { key: 'dan' }))
    expect(ended.at(-1)).toEqual(['2', 'share'])
    expect(take('eve’s', { key: 'eve' })).toBe('all')
  })

  it('lets what was made already go above a limit once', () => {
    const ledger = createLedger({ perKey: 10, overall: 100, lateAfterMs: 100 })
    const lease = must(ledger.take({ key: 'ann', amount: 0 }))
    expect(lease.grow(500)).toBeUndefined()
    expect(lease.grow(1)).toBe('key')
    lease.shrink(495)
    expect(lease.grow(1)).toBeUndefined()
    expect(ledger.sumOf('ann')).toBe(6)
  })

  it('never holds more than it may, and never turns away the poor for the sake of the rich', () => {
    const keys = fc.constantFrom('ann', 'ben', 'cyd', 'dan', 'eve')
    const steps = fc.array(
      fc.oneof(
        fc.record({ kind: fc.constant('take' as const), key: keys, lateMs: fc.nat(200) }),
        fc.record({ kind: fc.constant('release' as const), at: fc.nat() }),
      ),
      { maxLength: 200 },
    )
    fc.assert(
      fc.property(steps, (drawn) => {
        const { take, ledger } = open()
        const held: Lease[] = []
        for (const step of drawn) {
          if (step.kind === 'release') {
            held[step.at % Math.max(held.length, 1)]?.release()
            continue
          }
          const sums = ['ann', 'ben', 'cyd', 'dan', 'eve'].map(ledger.sumOf)
          const before = ledger.sumOf(step.key)
          const lease = take('any', step)
          if (typeof lease !== 'string') held.push(lease)
          if (lease === 'key') expect(before).toBe(4)
          if (lease === 'all') expect(Math.max(...sums)).toBeLessThan(before + 2)
          expect(ledger.stats().taken).toBeLessThanOrEqual(8)
          expect(ledger.sumOf(step.key)).toBeLessThanOrEqual(4)
        }
        for (const lease of held) lease.release()
        expect(ledger.stats()).toMatchObject({ taken: 0, keys: 0 })
      }),
    )
  })
})
