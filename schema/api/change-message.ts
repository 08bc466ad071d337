import * as z from 'zod/mini'
import { sealedPart, sealedReaction } from '../encryption/sealed-part.ts'
import { id } from '../id.ts'
import { limits } from '../limits.ts'
import { messageStatuses } from '../message.ts'
import { isReaction } from '../reaction.ts'

/** What PUT /messages/conversations/{userId}/archive, /pin and /mute take. */
export const archiveChange = flagChange('isArchived')

export const pinChange = flagChange('isPinned')

export const muteChange = z.extend(flagChange('isMuted'), {
  /** When the muting ends; without it, never. */
  mutedUntil: z.optional(z.iso.datetime('mutedUntil must be a time, as 2026-01-31T12:00:00Z')),
})

const noContent = 'The new content is required'

/** What PUT /messages/{id} takes: the text, or the words sealed for the two people alone. */
export const messageEdit = z
  .object({ content: z.optional(z.string(noContent)), sealed: z.optional(sealedPart) }, noContent)
  .check(
    z.refine(
      ({ content, sealed }) => (content === undefined) !== (sealed === undefined),
      noContent,
    ),
  )

const unknownStatus = 'status must be delivered or read'

/**
 * What PUT /messages/{id}/status takes. Any status is valid input; only a higher one has an effect.
 */
export const statusChange = z.object(
  { status: z.enum(messageStatuses, unknownStatus) },
  unknownStatus,
)

/** What PUT /messages/{id}/star takes. */
export const starChange = z.object(
  { isStarred: z.boolean('isStarred must be true or false') },
  'isStarred must be true or false',
)

const noEmoji = 'emoji must be one emoji, or empty to take a reaction back'

/** What PUT /messages/{id}/reaction takes: with `sealed`, which has it, `emoji` is empty. */
export const reactionChange = z
  .object(
    {
      emoji: z.string(noEmoji).check(z.refine(isReaction, noEmoji)),
      sealed: z.optional(sealedReaction),
    },
    noEmoji,
  )
  .check(z.refine(({ emoji, sealed }) => sealed === undefined || emoji === '', noEmoji))

const noRecipients = 'Choose at least one person'

/** What POST /messages/{id}/forward takes. */
export const forwarding = z.object(
  {
    recipientIds: z
      .array(id, noRecipients)
      .check(
        z.minLength(1, noRecipients),
        z.maxLength(
          limits.forwardRecipientsMax,
          `A message can be forwarded to ${limits.forwardRecipientsMax} people at once`,
        ),
      ),
  },
  noRecipients,
)

const noMessages = 'Choose at least one message'

/** What POST /messages/delete-bulk takes. */
export const bulkDeletion = z.object(
  {
    messageIds: z
      .array(id, noMessages)
      .check(
        z.minLength(1, noMessages),
        z.maxLength(
          limits.bulkDeleteMax,
          `At most ${limits.bulkDeleteMax} messages can be deleted at once`,
        ),
      ),
  },
  noMessages,
)

export type MuteChange = z.infer<typeof muteChange>

function flagChange<Flag extends string>(flag: Flag) {
  const words = `${flag} must be true or false`
  return z.object({ [flag]: z.boolean(words) } as Record<Flag, z.ZodMiniBoolean>, words)
}
