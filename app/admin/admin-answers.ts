import * as z from 'zod/mini'

/** What the actions of administration answer, as far as the page shows it. */
export const done = z.object({ said: z.optional(z.string()) })

const person = z.object({
  name: z.string(),
  id: z.string(),
  state: z.enum(['enabled', 'disabled']),
  isAdmin: z.boolean(),
  isOnline: z.boolean(),
  lastSeen: z.nullable(z.string()),
  createdAt: z.string(),
})
export type Person = z.infer<typeof person>
export const peopleAnswer = z.object({ people: z.array(person) })

export const personAnswer = z.extend(person, {
  email: z.string(),
  formerNames: z.array(z.string()),
  storedMb: z.number(),
  /** 0 for any amount. */
  quotaMb: z.number(),
  reportsAbout: z.number(),
  devices: z.array(z.object({ device: z.string(), lastUsedAt: z.string() })),
})
export type PersonShown = z.infer<typeof personAnswer>

const report = z.object({
  id: z.string(),
  by: z.string(),
  about: z.string(),
  hasLeft: z.boolean(),
  state: z.enum(['open', 'dismissed', 'warned', 'disabled']),
  reportedAt: z.string(),
  reason: z.string(),
  /** What they had written to each other last, oldest first, where the reporter gave it. */
  messages: z._default(
    z.array(z.object({ by: z.string(), text: z.string(), writtenAt: z.string() })),
    [],
  ),
})
export type Report = z.infer<typeof report>
export const reportsAnswer = z.object({ reports: z.array(report) })

export const linkAnswer = z.object({ link: z.string(), endsAt: z.string() })

const invitation = z.object({
  id: z.string(),
  usesLeft: z.number(),
  endsAt: z.string(),
  by: z.string(),
})
export const invitationsAnswer = z.object({ invitations: z.array(invitation) })

export const auditAnswer = z.object({
  entries: z.array(
    z.object({
      at: z.string(),
      by: z.string(),
      action: z.string(),
      subject: z.string(),
      reason: z.string(),
    }),
  ),
})

export const healthAnswer = z.object({
  version: z.string(),
  uptimeSeconds: z.number(),
  peopleOnline: z.number(),
  devicesOnline: z.number(),
  messagesPerMinute: z.number(),
  waitingWrites: z.number(),
  delayP99Ms: z.number(),
  memoryMb: z.number(),
  diskLeftMb: z.nullable(z.number()),
  lastBackup: z.nullable(z.string()),
  certificateEnds: z.nullable(z.string()),
  whatsApp: z.string(),
  warnings: z.array(z.string()),
  history: z.object({
    at: z.array(z.string()),
    messages: z.array(z.number()),
    online: z.array(z.number()),
    delayMs: z.array(z.number()),
    memoryMb: z.array(z.number()),
  }),
})
export type HealthShown = z.infer<typeof healthAnswer>
