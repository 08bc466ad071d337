/** The scroll position of a message list above its end. */
export interface ListPlace {
  /** The topmost visible message. */
  messageId: string
  /** How much of it is above the visible area. */
  offsetPx: number
}
