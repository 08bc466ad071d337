import type { OwnUser } from '../../../schema/user.ts'

/** What a person's own record says of their business channel. */
export interface Channel {
  isLinked: boolean
  /** The digits of the linked number, where there is one. */
  phone: string | undefined
  /** What goes out reaches nobody: the server speaks with an emulator. */
  isSandbox: boolean
}

/** The channel of whoever is signed in. A link exists where one of three fields does: section 3 of the specification. */
export function readChannel(user: OwnUser | undefined): Channel {
  const { wa_id, phone_number, phone_number_id, whatsapp_channel } = user ?? {}
  return {
    isLinked: Boolean(wa_id || phone_number || phone_number_id),
    phone: phone_number ?? wa_id,
    isSandbox: whatsapp_channel === 'sandbox',
  }
}
