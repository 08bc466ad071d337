import { expect, test } from 'vitest'
import { createLab } from './create-lab.ts'
import { runHistory } from './run-history.ts'

/** A new one per run: when it fails, add its number to the others until the fault is fixed. */
const drawn = Math.floor(Math.random() * 1_000_000_000)

test.for([1, 2, 3, 4, 5, drawn])(
  'P1 P2 P5 P6: whatever happens (seed %i), nothing is lost, nothing is twice, and all see the same',
  { timeout: 400_000 },
  async (seed) => {
    await expect(
      runHistory({ seed, steps: 66, createLab, shrinkTries: 2 }),
    ).resolves.toBeUndefined()
  },
)
