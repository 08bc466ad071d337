import { expect, test } from 'vitest'
import { createLab } from './create-lab.ts'
import { runHistory } from './run-history.ts'

test.for([1, 2, 3, 4, 5])(
  'P1 P2 P5: whatever happens (seed %i), nothing is lost, nothing is twice, and all see the same',
  { timeout: 400_000 },
  async (seed) => {
    await expect(
      runHistory({ seed, steps: 80, createLab, shrinkTries: 2 }),
    ).resolves.toBeUndefined()
  },
)
