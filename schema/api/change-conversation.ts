import * as z from 'zod/mini'

/** What PUT /messages/conversations/{userId}/archive, /pin and /mute take. */
export const archiveChange = flagChange('isArchived')
export const pinChange = flagChange('isPinned')
export const muteChange = flagChange('isMuted')

function flagChange<Flag extends string>(flag: Flag) {
  const words = `${flag} must be true or false`
  return z.object({ [flag]: z.boolean(words) } as Record<Flag, z.ZodMiniBoolean>, words)
}
