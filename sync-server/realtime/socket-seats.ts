import { limits } from '../../schema/limits.ts'

/** One socket's place among its person's. */
export interface SocketSeat {
  /** Call when the device has said something. */
  touch(): void
  leave(): void
}

/**
 * Limits sockets by person: the one silent longest gives way to the next, so that a tab that
 * somebody opens or returns to always gets one.
 */
export function createSocketSeats(perPersonMax: number = limits.socketsPerPersonMax) {
  /** Each person's sockets, the longest silent first. */
  const byPerson = new Map<string, Set<{ displace: () => void }>>()
  return {
    /** @param displace called when another socket needs the seat */
    take(userId: string, displace: () => void): SocketSeat {
      const own = byPerson.get(userId) ?? new Set()
      byPerson.set(userId, own)
      const seat = { displace }
      own.add(seat)
      if (own.size > perPersonMax) {
        for (const oldest of own) {
          own.delete(oldest)
          oldest.displace()
          break
        }
      }
      return {
        touch() {
          if (own.delete(seat)) own.add(seat)
        },
        leave() {
          own.delete(seat)
          if (own.size === 0 && byPerson.get(userId) === own) byPerson.delete(userId)
        },
      }
    },
  }
}
