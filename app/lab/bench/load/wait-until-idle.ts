import { setTimeout as pause } from 'node:timers/promises'
import { waitUntil } from '../../browser/wait-until.ts'
import { readMetric } from '../../server/read-metric.ts'

/** Collects garbage each second. */
const garbageGoneMs = 3_000

/** The environment of a server under memory measurement. */
export const withGarbageCollected = {
  NODE_OPTIONS: `--import=${new URL('collect-garbage.mjs', import.meta.url)}`,
}

export const waitForGarbage = () => pause(garbageGoneMs)

/**
 * The server records departures ten seconds after the last device leaves, and closes databases ten
 * seconds later.
 */
export async function waitUntilIdle(origin: string): Promise<void> {
  await waitUntil(
    'no database is open',
    async () => {
      // Each check makes some garbage in the measured server.
      await pause(500)
      return (await readMetric(origin, 'petrel_open_databases')) === 0
    },
    90_000,
  )
  await waitForGarbage()
}
