import * as z from 'zod/mini'

/** This server's business channel, as seen by a linked or linking person. */
export const whatsAppChannel = z.object({
  isOn: z.boolean(),
  /** An emulator on the server's machine: it reaches no one outside. */
  isSandbox: z.boolean(),
  /** The number that the caller's messages leave from. */
  phone_number_id: z.nullable(z.string()),
  display_phone_number: z.nullable(z.string()),
  /** May other messages than templates be sent after a customer's silent day? */
  isWindowEnforced: z.boolean(),
})
export type WhatsAppChannel = z.infer<typeof whatsAppChannel>
