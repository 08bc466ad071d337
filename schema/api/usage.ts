import * as z from 'zod/mini'
import { id } from '../id.ts'
import { limits } from '../limits.ts'

/** What PUT /users/{id}/block takes. */
export const blockChange = z.object(
  { blocked: z.boolean('blocked must be true or false') },
  'blocked must be true or false',
)

/** What PUT /users/{id}/block answers. */
export const blockAnswer = z.object({ userId: id, blocked: z.boolean() })

const tooShort = `Reason must be at least ${limits.reportReasonMinLength} characters long`

/** A message of the reporter's chat with who is reported, as the reporter's device read it. */
export const reportedMessage = z.object({
  /** Did the reported person write it? Otherwise who reports did. */
  isTheirs: z.boolean(),
  text: z.string().check(z.maxLength(limits.reportedTextMaxLength)),
  writtenAt: z.iso.datetime(),
})
export type ReportedMessage = z.infer<typeof reportedMessage>

/** What POST /users/{id}/report takes. */
export const report = z.object(
  {
    reason: z.pipe(
      z.pipe(
        z.string(tooShort),
        z.transform((text: string) => text.trim()),
      ),
      z
        .string()
        .check(
          z.minLength(limits.reportReasonMinLength, tooShort),
          z.maxLength(
            limits.reportReasonMaxLength,
            `Reason must be at most ${limits.reportReasonMaxLength} characters long`,
          ),
        ),
    ),
    messages: z.optional(
      z
        .array(reportedMessage, 'messages must be a list of messages')
        .check(z.maxLength(limits.reportedMessagesMax, 'Too many messages for one report')),
    ),
  },
  tooShort,
)

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
