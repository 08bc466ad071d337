import * as z from 'zod/mini'
import { sealedPart } from './encryption/sealed-part.ts'
import { id } from './id.ts'
import { limits } from './limits.ts'

/**
 * A secret of a group, in a message of its own that nothing draws. `name`: a hash that only this
 * secret has, by which sealed parts name it. `boxes`: its 32 bytes for each person, as a sealed part
 * of the secret of two people (decision 70) that the message's author and they have. Another message
 * with the same name gives the same secret to more people.
 */
export const groupEpoch = z.object({
  v: z.int().check(z.gte(1)),
  name: z.string().check(z.regex(/^[\w-]{22}$/)),
  boxes: z
    .record(id, sealedPart.check(z.maxLength(300)))
    .check(z.refine((boxes) => Object.keys(boxes).length <= limits.groups.membersMax)),
})
export type GroupEpoch = z.infer<typeof groupEpoch>

/** The format that this version writes, and the latest that it reads. */
export const groupEpochFormat = 1
