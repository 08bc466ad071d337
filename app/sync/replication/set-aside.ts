import type { Refusal } from './transport/sync-calls.ts'

export type SetAside = ReturnType<typeof createSetAside>

/** Offered again after so long, and after twice as long each further time. */
const firstMs = 60_000
const longestMs = 30 * 60_000

export interface SetAsideTold {
  count: number
  status: number | undefined
}

interface Aside extends Refusal {
  /** What was refused, JSON: something else is offered at once. */
  text: string
  refusals: number
  isDue: boolean
  timer: ReturnType<typeof setTimeout>
}

/**
 * Documents that something between this device and the server refuses each time, alone as well. They hold up nothing
 * else, stay owed, and are offered again later; after a start at once.
 */
export function createSetAside(options: {
  random: () => number
  /** Some may be offered again. */
  onDue: () => void
  /** How many there are, and with what the last one was refused. */
  onChange: (all: SetAsideTold) => void
}) {
  const { random, onDue, onChange } = options
  const aside = new Map<string, Aside>()

  function tell() {
    onChange({ count: aside.size, status: [...aside.values()].at(-1)?.status })
  }

  return {
    /** This very text was refused, and it is not yet time to offer it again. */
    isHeld(id: string, text: string): boolean {
      const held = aside.get(id)
      return held !== undefined && held.text === text && !held.isDue
    },
    /** It is not yet time to offer it again, as far as it has not changed. */
    isWaiting: (id: string) => aside.get(id)?.isDue === false,
    /** Was it refused the last time? Then the server does not hold it, whatever RxDB believes. */
    has: (id: string) => aside.has(id),
    put(id: string, refused: Refusal & { text: string }) {
      const before = aside.get(id)
      clearTimeout(before?.timer)
      const refusals = (before?.refusals ?? 0) + 1
      const ms = Math.min(firstMs * 2 ** (refusals - 1), longestMs) * (1 + random() / 4)
      const timer = setTimeout(() => {
        own.isDue = true
        onDue()
      }, ms)
      const own: Aside = { ...refused, refusals, isDue: false, timer }
      aside.delete(id)
      aside.set(id, own)
      tell()
    },
    /** The server has answered for it. */
    drop(id: string) {
      clearTimeout(aside.get(id)?.timer)
      if (aside.delete(id)) tell()
    },
    /** The network is another one, or somebody looks: all are due. */
    release() {
      for (const each of aside.values()) each.isDue = true
      if (aside.size > 0) onDue()
    },
    /** What is under way may still ask what was refused. */
    close() {
      for (const { timer } of aside.values()) clearTimeout(timer)
    },
  }
}
