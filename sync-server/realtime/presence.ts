import { limits } from '../../schema/limits.ts'

export type Presence = ReturnType<typeof createPresence>

/** How long a stated "online" lasts without a connection. */
const statedOnlineMs = 60_000

interface Attendance {
  devices: number
  /**
   * Set while the person is gone, or online without a connection: they stay online until it fires.
   */
  timer?: NodeJS.Timeout
  /** Epoch ms; when the last device left. */
  leftAt: number
}

/**
 * Tracks who is online: everybody with a connected device, and for ten seconds more, so that a
 * reload or a network change does not count as leaving.
 * @param writeLastSeen stores when people were last online, epoch ms
 * @param now epoch ms
 */
export function createPresence(options: {
  writeLastSeen: (userIds: readonly string[], lastSeen: number) => Promise<void>
  onError: (error: unknown) => void
  graceMs?: number
  now?: () => number
}) {
  const { writeLastSeen, onError, graceMs = limits.presenceGraceMs, now = Date.now } = options
  const people = new Map<string, Attendance>()
  const listeners = new Set<(userIds: readonly string[]) => void>()

  function tellChanged(userId: string) {
    for (const listener of listeners) listener([userId])
  }

  function attend(userId: string): Attendance {
    const found = people.get(userId)
    if (found) return found
    const attendance = { devices: 0, leftAt: now() }
    people.set(userId, attendance)
    tellChanged(userId)
    return attendance
  }

  function expectGoodbye(userId: string, attendance: Attendance, afterMs: number) {
    clearTimeout(attendance.timer)
    attendance.timer = setTimeout(() => void sayGoodbye(userId, attendance), afterMs).unref()
  }

  /** They have gone, even if their last time cannot be stored. */
  async function sayGoodbye(userId: string, attendance: Attendance) {
    people.delete(userId)
    await writeLastSeen([userId], attendance.leftAt).catch(onError)
    tellChanged(userId)
  }

  function drop() {
    listeners.clear()
    for (const { timer } of people.values()) clearTimeout(timer)
    people.clear()
  }

  return {
    /** Forgets everybody, without storing anything. */
    drop,
    isOnline: (userId: string) => people.has(userId),
    listOnline: () => [...people.keys()],
    countOnline: () => people.size,

    /** A device has connected. */
    arrive(userId: string) {
      const attendance = attend(userId)
      clearTimeout(attendance.timer)
      attendance.devices += 1
    },

    /** A device has gone. */
    leave(userId: string) {
      const attendance = people.get(userId)
      if (!attendance || attendance.devices === 0) return
      attendance.devices -= 1
      if (attendance.devices > 0) return
      attendance.leftAt = now()
      expectGoodbye(userId, attendance, graceMs)
    },

    /** A client without a connection states its presence; it cannot override a connected device. */
    state(userId: string, isOnline: boolean) {
      if (!isOnline && !people.has(userId)) return
      const attendance = attend(userId)
      if (attendance.devices > 0) return
      attendance.leftAt = now()
      expectGoodbye(userId, attendance, isOnline ? statedOnlineMs : 0)
    },

    /** Calls back with people who may have come or gone. @returns a function that ends it */
    onChanged(listener: (userIds: readonly string[]) => void): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },

    /** Stores now as the last time of everybody online. */
    async close() {
      const userIds = [...people.keys()]
      drop()
      if (userIds.length > 0) await writeLastSeen(userIds, now()).catch(onError)
    },
  }
}
