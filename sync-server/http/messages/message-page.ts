import * as z from 'zod/mini'
import { id } from '../../../schema/id.ts'
import { limits } from '../../../schema/limits.ts'

const outOfRange = `limit must be a number from 1 to ${limits.pageOfMessagesMax}`

/** Paging of the calls that list messages: `before` is the id of the message to start before. */
export const messagePage = z.object({
  before: z.optional(id),
  limit: z._default(
    z.pipe(
      z.pipe(z.string(outOfRange).check(z.regex(/^\d{1,4}$/, outOfRange)), z.transform(Number)),
      z.number().check(z.gte(1, outOfRange), z.lte(limits.pageOfMessagesMax, outOfRange)),
    ),
    limits.pageOfMessages,
  ),
})
export type MessagePage = z.infer<typeof messagePage>
