/** What a device tells the floor's `ws` server: a message, or how far it has received and read a chat. */
export type BareFrame =
  | { recipientId: string; id: string; content: string; isOrdered?: boolean }
  | { recipientId: string; marks: { deliveredUpTo: number; readUpTo: number } }

/** What it hears: a message of another, or a conversation of its own that changed. */
export type BareNews =
  | { id: string; content: string; senderId: string; orderedAt: number }
  | { conversation: { _id: string } }
