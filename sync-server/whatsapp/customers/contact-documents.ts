/** One operator's customer, visible to nobody else. Numbers are digits, times epoch ms. */
export interface ContactDocument {
  _id: `contact:${string}`
  ownerId: string
  contactId: string
  /** The business number of their chat, and its display form. */
  phoneNumberId: string
  displayPhoneNumber: string | null
  /** As WhatsApp last named them; null while unknown, or for a hidden number. */
  waId: string | null
  /** As the operator typed it. */
  phone: string | null
  /** Their id within the business. */
  userId: string | null
  username: string | null
  name: string | null
  createdAt: number
  /** By WhatsApp's clock; 0 if they never wrote. */
  lastInboundAt: number
  /** Their newest message and its place: for marking it as read. */
  lastInbound: { wamid: string; orderedAt: number } | null
  /** The operator's conversation's current description of them. */
  told: string
}

/** Maps a number or an id to a contact. Immutable. */
interface AliasDocument {
  _id: `alias:${string}`
  contactId: string
}

/** Who last wrote to a customer over a number without an operator. */
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
