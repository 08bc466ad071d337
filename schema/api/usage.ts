import * as z from 'zod/mini'

/**
 * A person's stored bytes and quota: own messages as stored, and uploaded files. `null`: unlimited.
 */
export const usage = z.object({
  messageBytes: z.number(),
  fileBytes: z.number(),
  quotaBytes: z.nullable(z.number()),
  /** New messages per minute; the burst is twice that. */
  messagesPerMinute: z.nullable(z.number()),
})
export type Usage = z.infer<typeof usage>
