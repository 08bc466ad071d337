import { expect, onTestFinished, test } from 'vitest'
import { createDeferred } from '../../../schema/helpers/deferred.ts'
import { openTestAcceptance } from '../../testing/open-test-acceptance.ts'
import { createTallies } from './tallies.ts'

test('P12: counting in the background is one job for a conversation, and what has not begun holds nobody up', async () => {
  const t = await openTestAcceptance()
  onTestFinished(() => t.close())
  const { journal } = t.acceptance
  const [begun, goOn] = [createDeferred(), createDeferred()]
  const counted: string[] = []
  const tallies = createTallies({
    storage: t.storage,
    every: 4,
    now: Date.now,
    journal: {
      ...journal,
      async listBetween(range) {
        counted.push(`${range.oneId} ${range.otherId}`)
        begun.resolve()
        await goOn.promise
        return await journal.listBetween(range)
      },
    },
    onError: (error) => expect(error).toBeUndefined(),
  })
  tallies.recordAdded('ann', 'ben', 4)
  await begun.promise
  for (let times = 0; times < 5; times += 1) tallies.recordAdded('ann', 'cem', 4)
  for (let times = 0; times < 5; times += 1) tallies.recordAdded('dora', 'ann', 4)
  goOn.resolve()
  await tallies.settle()
  const both = (one: string, other: string) => [`${one} ${other}`, `${other} ${one}`]
  const all = [...both('ann', 'ben'), ...both('ann', 'cem'), ...both('dora', 'ann')]
  expect(counted.splice(0)).toEqual(all)

  for (const other of ['ben', 'cem', 'dora']) tallies.recordAdded('ann', other, 4)
  tallies.drop()
  await tallies.settle()
  expect(counted.length).toBeLessThanOrEqual(2)
  tallies.recordAdded('ann', 'dora', 4)
  await tallies.settle()
  expect(counted.slice(-2)).toEqual(both('ann', 'dora'))
})
