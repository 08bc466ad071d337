import { limits } from '../../schema/limits.ts'

/** One socket's place among those of its person. */
export interface SocketSeat {
  /** The device has said something. */
  touch(): void
  leave(): void
}

/**
 * So many sockets a person, and no more: the one that has said nothing for the longest time makes room for the next, so
 * that the tab that somebody opens or returns to always has one.
 */
export function createSocketSeats(perPersonMax: number = limits.socketsPerPersonMax) {
  /** Each person's, the one silent for the longest time first. */
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
