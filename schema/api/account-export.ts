import * as z from 'zod/mini'
import { conversationDocument } from '../conversation.ts'
import { id } from '../id.ts'
import { ownUser } from '../user.ts'
import { session } from './auth.ts'
import { groupAnswer } from './groups.ts'
import { messageAnswer, statusHistoryAnswer } from './message-answer.ts'
import { reportedMessage } from './usage.ts'

const isoTime = z.iso.datetime()

/** Everything the server keeps about a person, streamed by GET /users/me/export. */
export const accountExport = z.object({
  exportedAt: isoTime,
  user: ownUser,
  /** Earlier names that still sign this person in, because no one else has registered them. */
  formerNames: z.array(z.string()),
  sessions: z.array(z.omit(session, { isCurrent: true })),
  blockedUsers: z.array(z.object({ userId: id, blockedAt: isoTime })),
  reports: z.array(
    z.object({
      userId: id,
      reason: z.string(),
      messages: z.optional(z.readonly(z.array(reportedMessage))),
      reportedAt: isoTime,
    }),
  ),
  conversations: z.array(
    z.extend(
      z.pick(conversationDocument, { _id: true, isPinned: true, isArchived: true, isMuted: true }),
      {
        mutedUntil: z.optional(isoTime),
        deliveredUpTo: z.nullable(isoTime),
        readUpTo: z.nullable(isoTime),
        clearedUpTo: z.nullable(isoTime),
      },
    ),
  ),
  /** Those that they are in. Their messages, and of those that they were in, stand after the others. */
  groups: z.optional(z.array(groupAnswer)),
  messages: z.array(z.extend(messageAnswer, { history: statusHistoryAnswer.shape.history })),
})
export type AccountExport = z.infer<typeof accountExport>
