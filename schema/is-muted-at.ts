import type { ConversationDocument } from './conversation.ts'

/** Is the conversation muted at this time, epoch ms? Without `mutedUntil` it is muted for good. */
export function isMutedAt(
  { isMuted, mutedUntil }: Pick<ConversationDocument, 'isMuted' | 'mutedUntil'>,
  now: number,
): boolean {
  return isMuted && (mutedUntil === undefined || now < mutedUntil)
}
