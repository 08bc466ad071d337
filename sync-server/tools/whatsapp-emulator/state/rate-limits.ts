import { GraphFault } from '../wire/graph-fault.ts'
import type { EmulatorConfig } from './emulator-config.ts'

const msPerHour = 3_600_000
const reservedNumber = /^155555501\d\d$/

export type RateLimits = ReturnType<typeof createRateLimits>

/**
 * Meta's limits for a number, for a number and one person, and for management calls. Source:
 * Meta's pages "About the platform" and "Throughput".
 */
export function createRateLimits({ config, now }: { config: EmulatorConfig; now: () => number }) {
  const numbers = new Map<string, ReturnType<typeof createTokenBucket>>()
  const pairs = new Map<string, ReturnType<typeof createTokenBucket>>()
  const { limits } = config
  const openManagement = () =>
    createTokenBucket({
      capacity: () => limits.managementPerHour,
      refillMs: () => msPerHour / Math.max(1, limits.managementPerHour),
      now,
    })
  const held = { management: openManagement() }

  function bucketOf(
    all: Map<string, ReturnType<typeof createTokenBucket>>,
    key: string,
    open: () => ReturnType<typeof createTokenBucket>,
  ) {
    const bucket = all.get(key) ?? open()
    all.set(key, bucket)
    return bucket
  }

  return {
    /** @throws GraphFault 130429 for the number, then 131056 for the pair */
    countSend(numberId: string, digits: string) {
      if (reservedNumber.test(digits) && !limits.includeReserved) return
      const number = bucketOf(numbers, numberId, () =>
        createTokenBucket({
          capacity: () => limits.perSecond,
          refillMs: () => 1_000 / Math.max(1, limits.perSecond),
          now,
        }),
      )
      if (!number.take()) throw new GraphFault(130429)
      const pair = bucketOf(pairs, `${numberId}|${digits}`, () =>
        createTokenBucket({
          capacity: () => limits.pairBurst,
          refillMs: () => limits.pairRefillMs,
          now,
        }),
      )
      if (!pair.take()) throw new GraphFault(131056)
    },

    /** @throws GraphFault 80007 */
    countManagement() {
      if (!held.management.take()) throw new GraphFault(80007)
    },

    managementPercent: () => held.management.percentUsed(),

    reset() {
      numbers.clear()
      pairs.clear()
      held.management = openManagement()
    },
  }
}

/** A budget that refills with time. @param refillMs the time for one more @param now ms */
function createTokenBucket(options: {
  capacity: () => number
  refillMs: () => number
  now: () => number
}) {
  const { capacity, refillMs, now } = options
  const bucket = { used: 0, at: now() }

  function read(): number {
    const moment = now()
    bucket.used = Math.max(0, bucket.used - (moment - bucket.at) / refillMs())
    bucket.at = moment
    return bucket.used
  }

  return {
    /** Takes one if any is left. @returns whether it did */
    take(): boolean {
      if (read() + 1 > capacity() + 1e-9) return false
      bucket.used += 1
      return true
    },
    /** The used part, in percent. */
    percentUsed: () => Math.round((read() / Math.max(1, capacity())) * 100),
  }
}
