import {
  type ServerEvent,
  type SocketWord,
  wordsForEvents,
} from '../../schema/api/socket-events.ts'
import type { Caller } from '../access/token-keeper.ts'

export type Connections = ReturnType<typeof createConnections>

/** One device's channel for immediate events: a socket, or a waiting poll. */
export interface Connection {
  caller: Caller
  /** What the device understands beyond the first version. */
  understands: readonly SocketWord[]
  /** Does it speak the second version, which may follow its databases? */
  hasLine: boolean
  /** @returns false when the line is full */
  send(text: string): boolean
  /** Loses nothing: the client reconnects, or signs in. */
  close(code: number, reason: string): void
}

/** Everybody's connections, by person. */
export function createConnections() {
  const byUser = new Map<string, Set<Connection>>()

  function listOf(userId: string): Iterable<Connection> {
    return byUser.get(userId) ?? []
  }

  function tellText(userId: string, text: string, word?: SocketWord) {
    for (const connection of listOf(userId)) {
      if (!word || connection.understands.includes(word)) connection.send(text)
    }
  }

  /** Sends each device the text of the first of these words that it understands. */
  function tellBest(userId: string, texts: readonly (readonly [SocketWord, () => string])[]) {
    for (const { understands, send } of listOf(userId)) {
      const [, write] = texts.find(([word]) => understands.includes(word)) ?? []
      if (write) send(write())
    }
  }

  return {
    add(connection: Connection) {
      const { userId } = connection.caller
      const own = byUser.get(userId) ?? new Set()
      own.add(connection)
      byUser.set(userId, own)
    },
    remove(connection: Connection) {
      const { userId } = connection.caller
      const own = byUser.get(userId)
      own?.delete(connection)
      if (own?.size === 0) byUser.delete(userId)
    },
    listOf,
    has: (userId: string) => byUser.has(userId),
    listUsers: () => [...byUser.keys()],
    /** Each connected sign-in, once. */
    listCallers(): Caller[] {
      const all = [...byUser.values()].flatMap((own) => [...own].map(({ caller }) => caller))
      return [...new Map(all.map((caller) => [caller.sessionId, caller])).values()]
    },
    *listAll(): Iterable<Connection> {
      for (const own of byUser.values()) yield* own
    },
    count: () => [...byUser.values()].reduce((sum, own) => sum + own.size, 0),
    /**
     * Sends to each of a person's devices that understands it; skips a device with a full line (P7).
     * @param word of those that it is for, if not the event's own
     */
    tell(
      userId: string,
      event: ServerEvent,
      word: SocketWord | undefined = wordsForEvents[event.event],
    ) {
      tellText(userId, JSON.stringify(event), word)
    },
    tellText,
    tellBest,
    closeSession({ userId, sessionId }: Caller, code: number, reason: string) {
      for (const connection of [...listOf(userId)]) {
        if (connection.caller.sessionId === sessionId) connection.close(code, reason)
      }
    },
    closeAll(code: number, reason: string) {
      for (const own of [...byUser.values()]) {
        for (const connection of [...own]) connection.close(code, reason)
      }
    },
  }
}
