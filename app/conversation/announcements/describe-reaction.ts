import type { ReactionNews } from '../../sync/messenger-types.ts'
import { cutPreview } from '../../ui/text/cut-preview.ts'
import { describeMessage } from '../../ui/text/describe-message.ts'

/** An older reaction was given while this device was offline: it shows without an announcement. */
const freshMs = 10_000

/** The announcement of a reaction to an own message; undefined if it is not new in this chat. */
export function describeReaction(
  { message, reaction }: ReactionNews,
  { peerId, peerName, now }: { peerId: string; peerName: string; now: number },
): string | undefined {
  if (message.peerId !== peerId || now - reaction.at > freshMs) return undefined
  return `${peerName} reacted ${reaction.emoji} to: ${cutPreview(describeMessage(message))}`
}
