import { setTimeout as pause } from 'node:timers/promises'
import { waitUntil } from '../../browser/wait-until.ts'
import { readMetric } from '../../server/read-metric.ts'

/** Garbage is collected each second. */
const garbageGoneMs = 3_000

/** The environment of a server whose memory is measured. */
export const withGarbageCollected = {
  NODE_OPTIONS: `--import=${new URL('collect-garbage.mjs', import.meta.url)}`,
}

export const waitForGarbage = () => pause(garbageGoneMs)

/** Goodbyes are written ten seconds after the last device has gone, and databases close ten seconds after that. */
export async function waitUntilIdle(origin: string): Promise<void> {
  await waitUntil(
    'no database is open',
    async () => {
      // Each look makes some garbage in the server whose memory is measured.
      await pause(500)
      return (await readMetric(origin, 'petrel_open_databases')) === 0
    },
    90_000,
  )
  await waitForGarbage()
}
