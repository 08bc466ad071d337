import type { Privacy } from '../../access/privacy.ts'

/** What people's privacy means for messages and receipts. */
export type MessagePrivacy = Pick<Privacy, 'refusesFirst' | 'hidesReading'>

/** Nobody has restricted anything. */
export const openPrivacy: MessagePrivacy = {
  refusesFirst: async () => false,
  hidesReading: async () => false,
}
