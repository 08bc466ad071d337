import type { Refusal } from './transport/sync-calls.ts'

export type SetAside = ReturnType<typeof createSetAside>

/** The delay before the next offer; it doubles each time. */
const firstMs = 60_000
const longestMs = 30 * 60_000

/** A push that the network or the server keeps refusing. `dueAt`: by `performance.now()`. */
export interface SetAsidePush {
  status: number
  dueAt: number
}

export interface SetAsideTold {
  count: number
  status: number | undefined
  /** Each by its document's id. */
  pushes: ReadonlyMap<string, SetAsidePush>
}

interface Aside extends Refusal {
  /** The refused content, JSON: a changed one is offered immediately. */
  text: string
  refusals: number
  isDue: boolean
  /** By `performance.now()`. */
  dueAt: number
  timer: ReturnType<typeof setTimeout>
}

/**
 * Documents that an intermediary or the server keeps refusing, even alone. They block nothing else,
 * stay owed, and are offered again later, or immediately after a start.
 */
export function createSetAside(options: {
  random: () => number
  /** Some may be offered again. */
  onDue: () => void
  /** How many there are, and the status of the last refusal. */
  onChange: (all: SetAsideTold) => void
}) {
  const { random, onDue, onChange } = options
  const aside = new Map<string, Aside>()

  function tell() {
    const pushes = new Map(
      [...aside].map(([id, { status, dueAt }]): [string, SetAsidePush] => [id, { status, dueAt }]),
    )
    onChange({ count: aside.size, status: [...aside.values()].at(-1)?.status, pushes })
  }

  return {
    /** Exactly this content was refused, and its delay is not over. */
    isHeld(id: string, text: string): boolean {
      const held = aside.get(id)
      return held !== undefined && held.text === text && !held.isDue
    },
    /** Its delay is not over, unless it has changed. */
    isWaiting: (id: string) => aside.get(id)?.isDue === false,
    /** Was it refused last time? Then the server lacks it, whatever RxDB believes. */
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
      const own: Aside = {
        ...refused,
        refusals,
        isDue: false,
        dueAt: performance.now() + ms,
        timer,
      }
      aside.delete(id)
      aside.set(id, own)
      tell()
    },
    /** The server has answered for it. */
    drop(id: string) {
      clearTimeout(aside.get(id)?.timer)
      if (aside.delete(id)) tell()
    },
    /** The network changed, or the person is looking: all are due. */
    release() {
      for (const each of aside.values()) each.isDue = true
      if (aside.size > 0) onDue()
    },
    /** A current push may still send the refused content. */
    close() {
      for (const { timer } of aside.values()) clearTimeout(timer)
    },
  }
}
