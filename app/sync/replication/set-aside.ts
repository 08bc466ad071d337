import type { Refusal } from './transport/sync-calls.ts'

export type SetAside = ReturnType<typeof createSetAside>

/** The delay before the next offer; it doubles each time. */
const firstMs = 60_000
const longestMs = 30 * 60_000
/** The server's own refusals depend on room, which may come from anywhere. */
const longestOfServerMs = 2 * 60_000

/**
 * A push that the network or the server keeps refusing. `dueAt`: when it is offered again, by
 * `monotonicNow`.
 */
export interface SetAsidePush extends Refusal {
  dueAt: number
}

/** Ms that only grow, and are the same in all tabs. */
export const monotonicNow = () => performance.timeOrigin + performance.now()

export interface SetAsideTold {
  count: number
  status: number | undefined
  /** The server's own reason for the last refusal, for a person. */
  words?: string | undefined
  /** Each by its document's id. */
  pushes: ReadonlyMap<string, SetAsidePush>
}

interface RefusedDocument extends Refusal {
  /** The refused content, JSON: a changed one is offered immediately. */
  text: string
}

interface Aside extends RefusedDocument {
  refusals: number
  isDue: boolean
  /** By `monotonicNow`. */
  dueAt: number
  timer: ReturnType<typeof setTimeout>
}

/**
 * Documents that are refused alone, while others pass at the same moment: by something on the way,
 * or by name by the server. They block nothing else, stay owed, and are offered again later, before
 * anything else of their conversation, after any trouble, and immediately after a start.
 */
export function createSetAside(options: {
  random: () => number
  /** Some may be offered again. */
  onDue: () => void
  /** How many there are, and the status and words of the last refusal. */
  onChange: (all: SetAsideTold) => void
}) {
  const { random, onDue, onChange } = options
  const aside = new Map<string, Aside>()

  function tell() {
    const pushes = new Map(
      [...aside].map(([id, { status, words, dueAt }]): [string, SetAsidePush] => [
        id,
        { status, words, dueAt },
      ]),
    )
    const last = [...aside.values()].at(-1)
    onChange({ count: aside.size, status: last?.status, words: last?.words, pushes })
  }

  function add(id: string, refused: RefusedDocument, stretch: number) {
    const before = aside.get(id)
    clearTimeout(before?.timer)
    const refusals = (before?.refusals ?? 0) + 1
    const longest = refused.code === undefined ? longestMs : longestOfServerMs
    const ms = Math.min(firstMs * 2 ** (refusals - 1), longest) * stretch
    const timer = setTimeout(() => {
      own.isDue = true
      onDue()
    }, ms)
    const dueAt = monotonicNow() + ms
    const own: Aside = { ...refused, refusals, isDue: false, dueAt, timer }
    aside.delete(id)
    aside.set(id, own)
  }

  /** The network changed, trouble is over, or the person is looking: all of these are due. */
  function release(isMeant: (each: Aside) => boolean = () => true) {
    const meant = [...aside.values()].filter(isMeant)
    for (const each of meant) each.isDue = true
    if (meant.length > 0) onDue()
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
    /** What was refused together is due together, and so leaves in one push again. */
    put(refused: ReadonlyMap<string, RefusedDocument>) {
      if (refused.size === 0) return
      const stretch = 1 + random() / 4
      for (const [id, document] of refused) add(id, document, stretch)
      tell()
    },
    /**
     * The server has answered for them: what has refused them on the way may let the others through,
     * too. What the server itself refused waits for room: a withdrawn message that it takes says
     * nothing of that, and between "full" and "overfull" the next offer would fail for good.
     */
    drop(ids: readonly string[]) {
      const dropped = ids.filter((id) => {
        clearTimeout(aside.get(id)?.timer)
        return aside.delete(id)
      })
      if (dropped.length === 0) return
      tell()
      release(({ code }) => code === undefined)
    },
    release,
    /** There may be room on the server. */
    releaseOfServer: () => release(({ code }) => code !== undefined),
    /** Something later waits behind these: they go with it, ahead of it. */
    releaseAhead(ids: ReadonlySet<string>) {
      for (const [id, each] of aside) if (ids.has(id)) each.isDue = true
    },
    /** A current push may still send the refused content. */
    close() {
      for (const { timer } of aside.values()) clearTimeout(timer)
    },
  }
}
