import type { Acceptance } from '../messages/acceptance.ts'

type AcceptConversations = Acceptance['acceptConversations']

/**
 * Accepts conversations, then reports to the channel how far operators have read their customers'
 * ones.
 */
export function recordReads(options: {
  acceptConversations: AcceptConversations
  noteRead: (ownerId: string, contactId: string, readUpTo: number) => Promise<void>
  onError: (error: unknown) => void
}): AcceptConversations {
  const { acceptConversations, noteRead, onError } = options
  return async (request) => {
    const outcomes = await acceptConversations(request)
    for (const outcome of outcomes) {
      if (outcome.kind !== 'stored' || !outcome.isTaken) continue
      const { _id, readUpTo, whatsapp_conversation_id: name } = outcome.doc
      if (name === undefined || readUpTo === 0) continue
      noteRead(request.actorId, _id, readUpTo).catch(onError)
    }
    return outcomes
  }
}
