import type { ReactionNews } from '../../sync/messenger-types.ts'
import { cutPreview } from '../../ui/text/cut-preview.ts'
import { describeMessage } from '../../ui/text/describe-message.ts'

/** What is older when it comes was given while this device was away: it is drawn, and not said. */
const freshMs = 10_000

/** What a screen reader says of a reaction to one's own message; undefined where it is no news in this chat. */
export function describeReaction(
  { message, reaction }: ReactionNews,
  { peerId, peerName, now }: { peerId: string; peerName: string; now: number },
): string | undefined {
  if (message.peerId !== peerId || now - reaction.at > freshMs) return undefined
  return `${peerName} reacted ${reaction.emoji} to: ${cutPreview(describeMessage(message))}`
}
