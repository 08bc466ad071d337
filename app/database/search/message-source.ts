/** A message as the search reads it. `content` is empty for deleted and discarded messages. */
export interface SearchableMessage {
  _id: string
  peerId: string
  orderedAt: number
  content: string
}

/** The device's messages, as the search index sees them. */
export interface MessageSource<Message extends SearchableMessage> {
  /**
   * Messages stored after a place in storage order, and the place to continue from; starts at the
   * beginning without a place. Fewer than `limit` means the end. May repeat a message, never skips
   * one.
   */
  readChanges(
    after: unknown,
    limit: number,
  ): Promise<{ messages: readonly Message[]; next: unknown }>
  /** Tells that everything there is has been read, and is kept. */
  settle(): Promise<void>
  /** Those on the device, in their current version. */
  readMessages(ids: readonly string[]): Promise<ReadonlyMap<string, Message>>
  /** Each cleared conversation's mark: hides messages up to this `orderedAt` from the search. */
  readClearedMarks(): Promise<ReadonlyMap<string, number>>
  countMessages(): Promise<number>
  /** Calls back after messages or marks change in any tab. Returns the unsubscribe function. */
  subscribe(onChange: () => void): () => void
}
