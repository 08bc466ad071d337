import { limits } from '../../../schema/limits.ts'

export interface ReadTimers {
  /** The person sees everything up to this place; 0 for nothing. */
  see(upTo: number): void
}

/**
 * Calls `markRead` with each place once it has stayed visible for a second. A message that arrives
 * meanwhile delays none before it.
 */
export function createReadTimers(markRead: (upTo: number) => void): ReadTimers {
  const due = new Map<number, ReturnType<typeof setTimeout>>()
  return {
    see(upTo) {
      for (const [place, timer] of due) {
        if (place <= upTo) continue
        clearTimeout(timer)
        due.delete(place)
      }
      if (upTo === 0 || due.has(upTo)) return
      const timer = setTimeout(() => {
        due.delete(upTo)
        markRead(upTo)
      }, limits.markReadAfterMs)
      due.set(upTo, timer)
    },
  }
}
