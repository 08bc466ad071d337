import * as z from 'zod/mini'

/** What PUT /messages/conversations/{userId}/archive, /pin and /mute take. */
export const archiveChange = flagChange('isArchived')
export const pinChange = flagChange('isPinned')
export const muteChange = z.extend(flagChange('isMuted'), {
  /** When the muting ends; without it, never. */
  mutedUntil: z.optional(z.iso.datetime('mutedUntil must be a time, as 2026-01-31T12:00:00Z')),
})
export type MuteChange = z.infer<typeof muteChange>

function flagChange<Flag extends string>(flag: Flag) {
  const words = `${flag} must be true or false`
  return z.object({ [flag]: z.boolean(words) } as Record<Flag, z.ZodMiniBoolean>, words)
}
