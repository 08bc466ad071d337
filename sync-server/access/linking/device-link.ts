import * as z from 'zod/mini'

const states = ['waiting', 'scanned', 'approved', 'used', 'refused', 'cancelled'] as const

/**
 * A device that asks to be signed in. `by`: the person who scanned its code, and their sign-in;
 * `sessionId`: the sign-in that the device gets. Times are epoch ms.
 */
export const deviceLink = z.object({
  id: z.string(),
  publicKey: z.string(),
  device: z.string(),
  address: z.string(),
  startedAt: z.number(),
  expiresAt: z.number(),
  state: z.enum(states),
  /** For `wait` and `cancel`; another one for `complete`, made with the approval. */
  challenge: z.string(),
  finalChallenge: z.optional(z.string()),
  by: z.optional(
    z.object({
      userId: z.string(),
      sessionId: z.string(),
      username: z.string(),
      passwordChanges: z.optional(z.number()),
    }),
  ),
  sessionId: z.optional(z.string()),
})
export type DeviceLink = z.infer<typeof deviceLink>

export const linkRefusals = [
  'device_link_unknown',
  'device_link_expired',
  'device_link_used',
  'device_link_refused',
  'device_link_cancelled',
  'device_link_not_approved',
  'busy',
] as const
export type LinkRefusal = (typeof linkRefusals)[number]

/** One step of a link, as one server asks it of the server that keeps the link. */
export const linkStep = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('view'), id: z.string() }),
  z.object({
    kind: z.literal('scan'),
    id: z.string(),
    by: z.object({
      userId: z.string(),
      sessionId: z.string(),
      username: z.string(),
      passwordChanges: z.optional(z.number()),
    }),
  }),
  z.object({
    kind: z.literal('decide'),
    id: z.string(),
    userId: z.string(),
    isAllowed: z.boolean(),
  }),
  z.object({ kind: z.literal('cancel'), id: z.string() }),
  z.object({ kind: z.literal('use'), id: z.string() }),
])
export type LinkStep = z.infer<typeof linkStep>

export const linkOutcome = z.union([
  z.object({ link: deviceLink }),
  z.object({ refusal: z.enum(linkRefusals) }),
])
export type LinkOutcome = z.infer<typeof linkOutcome>
