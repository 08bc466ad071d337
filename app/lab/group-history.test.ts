import { expect, test } from 'vitest'
import { createLab } from './create-lab.ts'
import { runGroupHistory } from './group-history.ts'

/** Red once: a reader who left, groups that ended, a secret that was refused. Many more: `npm run lab -- --groups`. */
const seeds = [128_000_015, 500_000_007, 700_000_028, 700_000_029]

/** With pictures, stars, and newcomers who read what was before them. */
const later = [900_000_001, 900_000_002]

test.for([1, 2, ...seeds, ...later])(
  'P14: whatever happens in groups (seed %i), all read the same in one order, each in their time',
  { timeout: 400_000 },
  async (seed) => {
    await expect(
      runGroupHistory({ seed, steps: 50, createLab, shrinkTries: 2 }),
    ).resolves.toBeUndefined()
  },
)
