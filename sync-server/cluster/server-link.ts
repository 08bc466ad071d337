/** What one server of several says to the others. Nothing is kept: who is away hears nothing, and asks when it is back. */
export interface ServerLink {
  /** Tells this server from the others; a new one at each start. */
  readonly serverId: string
  /** False while others might say something that is not heard here, or the other way round. */
  isUp(): boolean
  /** Resolves to true once it is up, to false when it is not within this time. */
  waitUntilUp(withinMs: number): Promise<boolean>
  /** Says something to every other server. */
  publish(topic: string, data: unknown): void
  /** Says something to one other server. */
  tell(serverId: string, topic: string, data: unknown): void
  /** Hears what others say about a topic. @returns a function that stops listening */
  listen(topic: string, listener: LinkListener): () => void
  /** Calls back each time it comes up or goes down. @returns a function that stops it */
  onTurn(listener: (isUp: boolean) => void): () => void
  close(): void
}

/** `data` is what the other server said: to be parsed. `from` is that server's id. */
export type LinkListener = (data: unknown, from: string) => void
