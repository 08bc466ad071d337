import type { Acceptance } from '../messages/acceptance.ts'
import type { PushedRead } from './shown-pushes.ts'

type Accept = Acceptance['acceptConversations']

/** @param request.sessionId the sign-in that asks, where one does */
export type AcceptConversationsOf = (
  request: Parameters<Accept>[0] & { sessionId?: string | undefined },
) => ReturnType<Accept>

/** Accepts conversations, then notes how far they are read, for devices that still show them. */
export function recordPushedReads(options: {
  acceptConversations: Accept
  noteRead: (read: PushedRead) => void
}): AcceptConversationsOf {
  const { acceptConversations, noteRead } = options
  return async ({ sessionId, ...request }) => {
    const outcomes = await acceptConversations(request)
    for (const outcome of outcomes) {
      if (outcome.kind !== 'stored') continue
      const { _id: peerId, readUpTo, clearedUpTo } = outcome.doc
      const upTo = Math.max(readUpTo, clearedUpTo)
      if (upTo > 0) noteRead({ userId: request.actorId, peerId, upTo, sessionId })
    }
    return outcomes
  }
}
