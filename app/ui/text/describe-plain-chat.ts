import { type KindRecord, kindOf } from '../../../schema/conversation.ts'

/** The words, the same at each place, for a chat that others than its people could read. */
export function describePlainChat(peer: KindRecord & { username: string }): string {
  const kind = kindOf(peer)
  if (kind === 'group') return "Not encrypted: somebody in this group hasn't set up encryption yet."
  return kind === 'business'
    ? 'Not encrypted: these messages go through WhatsApp.'
    : `Not encrypted: ${peer.username} hasn't set up encryption yet.`
}
