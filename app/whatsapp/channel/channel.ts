import type { OwnUser } from '../../../schema/user.ts'

/** The business channel's state in a person's record. */
export interface Channel {
  isLinked: boolean
  /** The digits of the linked number, if there is one. */
  phone: string | undefined
  /** Messages reach nobody: the server uses an emulator. */
  isSandbox: boolean
  /** The server has no channel: a linked number is saved, and nothing goes over WhatsApp. */
  isOff: boolean
}

/**
 * The signed-in person's channel: decision 61, section 3. A phone number alone, by which people are
 * found and sign in, reaches nobody there, and so is no link.
 */
export function readChannel(user: OwnUser | undefined): Channel {
  const { wa_id, phone_number, phone_number_id, whatsapp_channel } = user ?? {}
  return {
    isLinked: Boolean(wa_id || phone_number_id),
    phone: phone_number ?? wa_id,
    isSandbox: whatsapp_channel === 'sandbox',
    isOff: whatsapp_channel === 'off',
  }
}
