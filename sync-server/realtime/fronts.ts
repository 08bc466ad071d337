import type { Connection } from './connections.ts'

export type Fronts = ReturnType<typeof createFronts>

/**
 * Which devices their people are looking at, as the devices say. Only devices that understand
 * `front` are asked, so a silent one costs a frame at its start and nothing after.
 */
export function createFronts() {
  const byUser = new Map<string, Set<Connection>>()
  const listeners = new Set<(userId: string) => void>()

  function leave(connection: Connection) {
    const { userId } = connection.caller
    const own = byUser.get(userId)
    if (!own?.delete(connection) || own.size > 0) return
    byUser.delete(userId)
    for (const listener of listeners) listener(userId)
  }

  return {
    /** Asks a new device. */
    welcome(connection: Connection) {
      if (!connection.understands.includes('front')) return
      connection.send(JSON.stringify({ event: 'front-wanted', data: true }))
    },
    record(connection: Connection, isFront: boolean) {
      if (!isFront) return leave(connection)
      const { userId } = connection.caller
      const own = byUser.get(userId) ?? new Set()
      byUser.set(userId, own.add(connection))
    },
    forget: leave,
    /** Does this person look at one of their devices? */
    has: (userId: string) => byUser.has(userId),
    /** Calls back when nobody looks any more. @returns a function that stops it */
    onLeft(listener: (userId: string) => void): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
