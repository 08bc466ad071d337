import * as z from 'zod/mini'
import { idPattern } from '../../../schema/id.ts'

/** The header that makes a repeated call idempotent: a UUID, in any case. */
export const idempotencyKey = z.object({
  'idempotency-key': z.optional(
    z.pipe(
      z.pipe(
        z.string(),
        z.transform((text: string) => text.trim().toLowerCase()),
      ),
      z.string().check(z.regex(idPattern, 'Idempotency-Key must be a UUID')),
    ),
  ),
})
