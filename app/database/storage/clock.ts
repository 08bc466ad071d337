import type { KeyValueStorage } from './key-value-storage.ts'

export interface Clock {
  /** The server's time as well as this device knows it, epoch ms. */
  now(): number
  /** Hears the time that the server put on an answer (`x-petrel-now`), at the moment it arrives. */
  setServerTime(serverNow: number): void
}

const kept = 'petrel-clock-offset'
const jumpMs = 1_000

/**
 * A clock that goes by the server, however wrong the device's own is, also before the first answer after a
 * reload. An answer is on its way for a while, so what it says is never ahead: the highest offset is the best.
 */
export function createClock(options: { now?: () => number; texts?: KeyValueStorage }): Clock {
  const { now = Date.now, texts } = options
  let offset = Number(texts?.getItem(kept) ?? 0) || 0
  return {
    now: () => Math.round(now() + offset),
    setServerTime(serverNow) {
      const heard = serverNow - now()
      if (heard <= offset && heard >= offset - jumpMs) return
      offset = heard
      texts?.setItem(kept, String(Math.round(offset)))
    },
  }
}
