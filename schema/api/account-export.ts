import * as z from 'zod/mini'
import { conversationDocument } from '../conversation.ts'
import { id } from '../id.ts'
import { ownUser } from '../user.ts'
import { session } from './auth.ts'
import { messageAnswer, statusHistoryAnswer } from './message-answer.ts'

const isoTime = z.iso.datetime()

/** Everything that is kept of a person, as GET /users/me/export streams it. */
export const accountExport = z.object({
  exportedAt: isoTime,
  user: ownUser,
  /** Names that still are a way in, because nobody else has registered them since. */
  formerNames: z.array(z.string()),
  sessions: z.array(z.omit(session, { isCurrent: true })),
  blockedUsers: z.array(z.object({ userId: id, blockedAt: isoTime })),
  reports: z.array(z.object({ userId: id, reason: z.string(), reportedAt: isoTime })),
  conversations: z.array(
    z.extend(
      z.pick(conversationDocument, { _id: true, isPinned: true, isArchived: true, isMuted: true }),
      {
        deliveredUpTo: z.nullable(isoTime),
        readUpTo: z.nullable(isoTime),
        clearedUpTo: z.nullable(isoTime),
      },
    ),
  ),
  messages: z.array(z.extend(messageAnswer, { history: statusHistoryAnswer.shape.history })),
})
export type AccountExport = z.infer<typeof accountExport>
