import type { KeyValueStorage } from './key-value-storage.ts'

export interface Clock {
  /** The server's time as well as this device knows it, epoch ms. */
  now(): number
  /**
   * Takes the server's time from an answer (`x-petrel-now`) as soon as it arrives.
   * @param tookMs how long after its request: no older is the time that it tells
   */
  setServerTime(serverNow: number, tookMs?: number): void
}

const kept = 'petrel-clock-offset'
const jumpMs = 1_000

/**
 * A clock that follows the server, even when the device's own is wrong, and even before the first
 * answer after a reload. An answer takes time to arrive, so its time is never ahead: the highest
 * offset is best.
 */
export function createClock(options: { now?: () => number; texts?: KeyValueStorage }): Clock {
  const { now = Date.now, texts } = options
  let offset = Number(texts?.getItem(kept) ?? 0) || 0
  return {
    now: () => Math.round(now() + offset),
    setServerTime(serverNow, tookMs = 0) {
      const heard = serverNow - now()
      if (heard <= offset && heard + tookMs >= offset - jumpMs) return
      offset = heard
      texts?.setItem(kept, String(Math.round(offset)))
    },
  }
}
