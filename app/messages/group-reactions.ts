import { listReactions, type Reactions } from '../../schema/reaction.ts'

export interface ReactionGroup {
  emoji: string
  /** Who reacted with it: `Ben`, `You`, or both. */
  names: string
  isOwn: boolean
}

/**
 * The reactions under a message: each emoji once, with everybody who chose it, the earliest first.
 */
export function groupReactions(
  reactions: Reactions | undefined,
  { ownId, peerName }: { ownId: string; peerName: string },
): ReactionGroup[] {
  const groups = new Map<string, ReactionGroup>()
  for (const { userId, emoji } of listReactions(reactions)) {
    const name = userId === ownId ? 'You' : peerName
    const before = groups.get(emoji)
    groups.set(emoji, {
      emoji,
      names: before ? `${before.names}, ${name}` : name,
      isOwn: userId === ownId || before?.isOwn === true,
    })
  }
  return [...groups.values()]
}
