import { expect, test } from 'vitest'
import { drawHistory } from './draw-history.ts'
import { shrinkHistory } from './kit/shrink-history.ts'

test('the same seed draws the same history, another seed another one', () => {
  const draw = (seed: number) => drawHistory({ seed, steps: 30, hasChannel: false })
  expect(draw(7)).toEqual(draw(7))
  expect(draw(7)).not.toEqual(draw(8))
})

test('of a history that fails, what does not matter is left out', async () => {
  // Long enough for any seed to draw both.
  const history = drawHistory({ seed: 3, steps: 800, hasChannel: false })
  const kill = history.findIndex((step) => step.do === 'kill')
  const edit = history.findIndex((step, at) => step.do === 'edit' && at > kill)
  const culprits = history.filter((_, at) => at === kill || at === edit)
  expect(culprits).toHaveLength(2)
  const { history: left, failure } = await shrinkHistory({
    history,
    failure: 'first',
    tries: 200,
    tryHistory: async (steps) =>
      culprits.every((culprit) => steps.includes(culprit)) ? 'shorter' : undefined,
  })
  expect(left).toEqual(culprits)
  expect(failure).toBe('shorter')
})
