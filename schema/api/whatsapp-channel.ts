import * as z from 'zod/mini'

/** The business channel of this server, as a linked or linking person sees it. */
export const whatsAppChannel = z.object({
  isOn: z.boolean(),
  /** It is an emulator on the server's machine, and nobody outside is reached. */
  isSandbox: z.boolean(),
  /** The number that the caller's messages leave from. */
  phone_number_id: z.nullable(z.string()),
  display_phone_number: z.nullable(z.string()),
  /** May something other than a template be sent after a customer has been silent for a day? */
  isWindowEnforced: z.boolean(),
})
export type WhatsAppChannel = z.infer<typeof whatsAppChannel>
