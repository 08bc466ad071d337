import { expect, onTestFinished, test, vi } from 'vitest'
import { createDeferred } from '../../../schema/helpers/deferred.ts'
import { createAskedPeople } from './known-people.ts'

function open(answer: (userId: string) => Promise<unknown>) {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const asked: string[] = []
  const people = createAskedPeople({
    random: () => 1,
    async read(userId) {
      asked.push(userId)
      await answer(userId)
    },
  })
  onTestFinished(people.close)
  return { people, asked }
}

test('a person that cannot be read is requested ever more rarely, and delays no one', async () => {
  const { people, asked } = open(async (userId) => {
    if (userId === 'cyd') throw new Error('The server has a problem.')
  })
  for (const userId of ['cyd', 'dan', 'eve']) people.ask(userId)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(asked).toEqual(['cyd', 'dan', 'eve', 'cyd'])
  await vi.advanceTimersByTimeAsync(60 * 60_000)
  expect(asked.length).toBeLessThan(30)
})

test('asked for again and again while a question waits, it stays one', async () => {
  const { people, asked } = open(() => Promise.reject(new Error('no network')))
  for (let count = 0; count < 100; count += 1) {
    people.ask('cyd')
    await vi.advanceTimersByTimeAsync(1)
  }
  expect(asked).toEqual(['cyd'])
  people.hurry()
  await vi.advanceTimersByTimeAsync(1)
  expect(asked).toEqual(['cyd', 'cyd'])
})

test('asked for again while the answer is on the way, it is asked once', async () => {
  const answer = createDeferred()
  const { people, asked } = open(() => answer.promise)
  people.ask('cyd')
  await vi.advanceTimersByTimeAsync(1)
  people.ask('cyd')
  answer.resolve()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(asked).toEqual(['cyd'])
  people.ask('cyd')
  await vi.advanceTimersByTimeAsync(1)
  expect(asked).toEqual(['cyd', 'cyd'])
})
