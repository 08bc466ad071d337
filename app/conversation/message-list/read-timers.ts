import { limits } from '../../../schema/limits.ts'

export interface ReadTimers {
  /** The person sees everything up to this place; 0 for nothing. */
  see(upTo: number): void
}

/** While messages arrive faster than this, one mark covers several: each costs a request. */
export const markEveryMs = 2_000

/**
 * Calls `markRead` with a place once it has stayed visible for a second, with the latest such place
 * if it has just been called. A message that arrives meanwhile delays none before it.
 */
export function createReadTimers(markRead: (upTo: number) => void): ReadTimers {
  const due = new Map<number, ReturnType<typeof setTimeout>>()
  let resting: ReturnType<typeof setTimeout> | undefined
  /** Read, and not marked yet. */
  let readUpTo = 0

  function mark() {
    clearTimeout(resting)
    resting = undefined
    if (readUpTo === 0) return
    resting = setTimeout(mark, markEveryMs)
    const upTo = readUpTo
    readUpTo = 0
    markRead(upTo)
  }

  return {
    see(upTo) {
      for (const [place, timer] of due) {
        if (place <= upTo) continue
        clearTimeout(timer)
        due.delete(place)
      }
      // Whoever leaves has read what was visible for a second.
      if (upTo === 0) return mark()
      if (due.has(upTo)) return
      const timer = setTimeout(() => {
        due.delete(upTo)
        readUpTo = Math.max(readUpTo, upTo)
        if (resting === undefined) mark()
      }, limits.markReadAfterMs)
      due.set(upTo, timer)
    },
  }
}
