/** What the search reads of a message. `content` is empty in what must not be found: deleted, discarded. */
export interface SearchableMessage {
  _id: string
  peerId: string
  orderedAt: number
  content: string
}

/** The messages of the device, as the search index sees them. */
export interface MessageSource<Message extends SearchableMessage> {
  /**
   * What was stored after a place in the order of storing, and the place to go on from; without a place from
   * the beginning. Fewer than `limit` means that this is all. May give a message again, never skips one.
   */
  readChanges(
    after: unknown,
    limit: number,
  ): Promise<{ messages: readonly Message[]; next: unknown }>
  /** Those that are on the device, as they are now. */
  readMessages(ids: readonly string[]): Promise<ReadonlyMap<string, Message>>
  /** How far each cleared conversation is cleared: messages up to this `orderedAt` are not to be found. */
  readClearedMarks(): Promise<ReadonlyMap<string, number>>
  countMessages(): Promise<number>
  /** Calls back after messages or marks have changed, in whichever tab. Gives the way to end it. */
  subscribe(onChange: () => void): () => void
}
