import * as z from 'zod/mini'
import { id } from '../id.ts'
import { limits } from '../limits.ts'
import { messageStatuses } from '../message.ts'
import { isReaction } from '../reaction.ts'

/** What PUT /messages/{id} takes. */
export const messageEdit = z.object(
  { content: z.string('The new content is required') },
  'The new content is required',
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

/** What PUT /messages/{id}/reaction takes. */
export const reactionChange = z.object(
  { emoji: z.string(noEmoji).check(z.refine(isReaction, noEmoji)) },
  noEmoji,
)

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
