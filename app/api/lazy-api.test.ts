import { expect, test } from 'vitest'
import { deferCalls } from './lazy-api.ts'

test('deferred calls are of one group, which remembers from one to the next', async () => {
  const tries = { count: 0 }
  const calls = deferCalls(async () => {
    tries.count += 1
    if (tries.count === 1) throw new Error('The part could not be fetched.')
    const noted: string[] = []
    return {
      note: async (word: string) => void noted.push(word),
      read: async () => noted.join(' '),
    }
  })
  await expect(calls.note('lost')).rejects.toThrow('could not be fetched')
  await calls.note('albatross')
  await calls.note('lands')
  expect(await calls.read()).toBe('albatross lands')
  expect(tries.count).toBe(2)
})
