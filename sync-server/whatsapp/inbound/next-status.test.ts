import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type DeliveryStatus, nextStatus, readStatusWord } from './next-status.ts'

const incoming = ['sent', 'delivered', 'read', 'failed'] as const

test.each<[DeliveryStatus, ...string[]]>([
  ['sending', 'sent', 'delivered', 'read', 'failed'],
  ['sent', '-', 'delivered', 'read', 'failed'],
  ['delivered', '-', '-', 'read', '-'],
  ['read', '-', '-', '-', '-'],
  ['failed', '-', 'delivered', 'read', '-'],
])('from %s: %s, %s, %s, %s', (current, ...expected) => {
  const seen = incoming.map((status) => {
    const next = nextStatus(current, status)
    return next.status === current ? '-' : next.status
  })
  expect(seen).toEqual(expected)
})

test('what arrives after a failure heals it; a second failure keeps the first error', () => {
  expect(nextStatus('failed', 'delivered').effect).toBe('heals')
  expect(nextStatus('failed', 'failed').effect).toBe('keeps error')
  expect(nextStatus('delivered', 'failed').effect).toBe('stale')
})

test('whatever comes in whatever order and however often: never backwards, and the best that came is what stands', () => {
  const rank = { sending: 0, sent: 1, failed: 2, delivered: 3, read: 4 }
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...incoming), { maxLength: 12 }), (statuses) => {
      const walk: DeliveryStatus[] = ['sending']
      for (const status of statuses) {
        walk.push(nextStatus(walk.at(-1) ?? 'sending', status).status)
      }
      const ranks = walk.map((status) => rank[status])
      expect(ranks).toEqual(ranks.toSorted((a, b) => a - b))
      expect(rank[walk.at(-1) ?? 'sending']).toBe(Math.max(0, ...statuses.map((one) => rank[one])))
    }),
  )
})

test('played is read, and words of tomorrow are nothing', () => {
  expect(['played', 'read', 'warning'].map(readStatusWord)).toEqual(['read', 'read', null])
})
