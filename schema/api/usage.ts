import * as z from 'zod/mini'

/**
 * What a person has stored with the server, and may: their own messages, as they are stored, and the files that they
 * have uploaded, in bytes. `null`: any amount.
 */
export const usage = z.object({
  messageBytes: z.number(),
  fileBytes: z.number(),
  quotaBytes: z.nullable(z.number()),
  /** New messages in a minute; twice as many at once. */
  messagesPerMinute: z.nullable(z.number()),
})
export type Usage = z.infer<typeof usage>
