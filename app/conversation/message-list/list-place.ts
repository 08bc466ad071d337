/** Where a list of messages stands that is scrolled up from its end. */
export interface ListPlace {
  /** The topmost message in sight. */
  messageId: string
  /** How much of it lies above what is in sight. */
  offsetPx: number
}
