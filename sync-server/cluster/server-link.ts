/**
 * Messages between servers. Nothing is stored: a server that is away misses them, and asks when it
 * is back.
 */
export interface ServerLink {
  /** Tells this server from the others; a new one at each start. */
  readonly serverId: string
  /** False while messages may be lost in either direction. */
  isUp(): boolean
  /** Resolves to true once it is up, to false after `withinMs`. */
  waitUntilUp(withinMs: number): Promise<boolean>
  /** Says something to every other server. */
  publish(topic: string, data: unknown): void
  /** Says something to one other server. */
  tell(serverId: string, topic: string, data: unknown): void
  /** Hears what others say about a topic. @returns a function that stops listening */
  listen(topic: string, listener: LinkListener): () => void
  /** Calls back each time it goes up or down. @returns a function that stops it */
  onTurn(listener: (isUp: boolean) => void): () => void
  close(): void
}

/** `data` comes from the other server and must be parsed; `from` is that server's id. */
export type LinkListener = (data: unknown, from: string) => void
