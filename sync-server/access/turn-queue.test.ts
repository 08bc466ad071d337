import { describe, expect, it } from 'vitest'
import { createTurnQueue } from './password-hasher.ts'

function fill(queue: ReturnType<typeof createTurnQueue<string>>, key: string, count: number) {
  for (let index = 1; index <= count; index += 1) queue.add(key, `${key}${index}`)
}

function takeAll(queue: ReturnType<typeof createTurnQueue<string>>) {
  const taken: string[] = []
  for (let item = queue.take(); item !== undefined; item = queue.take()) taken.push(item)
  return taken
}

describe('a queue by turns', () => {
  it('P12: gives each key its turn, however many one of them has brought', () => {
    const queue = createTurnQueue<string>({ keyMax: 10, max: 100 })
    fill(queue, 'a', 4)
    fill(queue, 'b', 1)
    fill(queue, 'c', 2)
    expect(takeAll(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3', 'a4'])
    expect(queue.count()).toBe(0)
  })

  it('gives a key that comes back its turn after those who wait already', () => {
    const queue = createTurnQueue<string>({ keyMax: 10, max: 100 })
    fill(queue, 'a', 3)
    expect(queue.take()).toBe('a1')
    fill(queue, 'b', 1)
    expect(takeAll(queue)).toEqual(['a2', 'b1', 'a3'])
  })

  it('takes at most `keyMax` items of one key', () => {
    const queue = createTurnQueue<string>({ keyMax: 2, max: 100 })
    fill(queue, 'a', 2)
    expect(queue.add('a', 'a3')).toBe('a3')
    expect(queue.add('b', 'b1')).toBeUndefined()
    expect(takeAll(queue)).toEqual(['a1', 'b1', 'a2'])
  })

  it('P12: makes place, when it is full, where most wait', () => {
    const queue = createTurnQueue<string>({ keyMax: 10, max: 5 })
    fill(queue, 'a', 2)
    fill(queue, 'b', 3)
    expect(queue.add('c', 'c1')).toBe('b3')
    expect(queue.add('c', 'c2')).toBe('c2')
    expect(queue.count()).toBe(5)
    expect(takeAll(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2'])
  })

  it('lets one out who does not want to wait any more', () => {
    const queue = createTurnQueue<string>({ keyMax: 2, max: 3 })
    fill(queue, 'a', 2)
    fill(queue, 'b', 1)
    expect([queue.remove('b', 'b1'), queue.remove('b', 'b1')]).toEqual([true, false])
    expect(queue.remove('a', 'a1')).toBe(true)
    expect(queue.add('a', 'a3')).toBeUndefined()
    expect(queue.count()).toBe(2)
    expect(takeAll(queue)).toEqual(['a2', 'a3'])
  })
})
