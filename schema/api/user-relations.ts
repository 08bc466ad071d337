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
  },
  tooShort,
)
