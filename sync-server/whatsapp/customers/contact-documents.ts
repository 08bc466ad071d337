/** A customer of one operator. Nobody else ever sees it. Numbers are digits, times epoch ms. */
export interface ContactDocument {
  _id: `contact:${string}`
  ownerId: string
  contactId: string
  /** Over which number of the business they talk, and how that is written. */
  phoneNumberId: string
  displayPhoneNumber: string | null
  /** As WhatsApp last named them; null while nobody knows, or for a hidden number. */
  waId: string | null
  /** As the operator typed it. */
  phone: string | null
  /** Their id within the business. */
  userId: string | null
  username: string | null
  name: string | null
  createdAt: number
  /** By WhatsApp's clock; 0 when they never wrote. */
  lastInboundAt: number
  /** The newest of theirs, and its place: for marking it as read. */
  lastInbound: { wamid: string; orderedAt: number } | null
  /** What the operator's conversation says of them. */
  told: string
}

/** Under which contact a number or an id is known. Created once, and never changed. */
interface AliasDocument {
  _id: `alias:${string}`
  contactId: string
}

/** Who wrote last to somebody over a number that has no operator. */
interface WriterDocument {
  _id: `writer:${string}`
  ownerId: string
}

export type ContactsDocument = (ContactDocument | AliasDocument | WriterDocument) & {
  _deleted?: true
}

export const contactKey = (ownerId: string, contactId: string) =>
  `contact:${ownerId}:${contactId}` as const
export const aliasKey = (place: { ownerId: string; phoneNumberId: string }, alias: string) =>
  `alias:${place.ownerId}:${place.phoneNumberId}:${alias}` as const
export const writerKey = (phoneNumberId: string, waId: string) =>
  `writer:${phoneNumberId}:${waId}` as const

export function isContact(document: ContactsDocument | undefined): document is ContactDocument {
  return document?._id.startsWith('contact:') === true
}

export function withoutRev(document: ContactDocument & { _rev?: string }): ContactDocument {
  const { _rev, ...contact } = document
  return contact
}
