import type { ConversationDocument } from '../../schema/conversation.ts'
import { type Accepted, listStoredOfPeople } from '../messages/acceptance/acceptance-listener.ts'
import type { PushedRead } from './shown-pushes.ts'

/** Notes how far accepted conversations are read, for devices that still show their pushes. */
export function recordPushedReads(
  accepted: Accepted<ConversationDocument>,
  recordRead: (read: PushedRead) => void,
): void {
  const { actorId: userId, sessionId } = accepted
  for (const { doc } of listStoredOfPeople(accepted)) {
    const { _id: peerId, readUpTo, clearedUpTo } = doc
    const upTo = Math.max(readUpTo, clearedUpTo)
    if (upTo > 0) recordRead({ userId, peerId, upTo, sessionId })
  }
}
