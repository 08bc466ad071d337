import { useEffect, useState } from 'react'
import type { Messenger, ReactionNews } from '../sync/messenger-types.ts'
import { useLatest } from '../ui/hooks/use-latest.ts'
import { cutPreview, describeMessage } from '../ui/text/describe-message.ts'

/** An older reaction was given while this device was offline: it shows without an announcement. */
const freshMs = 10_000

/** An announcement; the key distinguishes repeated words. */
export interface ReactionWords {
  key: string
  words: string
}

/** The newest reaction of somebody else to an own message, if it arrives while the chat is open. */
export function useReactionNews({
  messenger,
  peerId,
  nameOf,
}: {
  messenger: Pick<Messenger, 'watchReactions' | 'now'>
  peerId: string
  nameOf: (userId: string) => string
}): ReactionWords | undefined {
  const [said, setSaid] = useState<ReactionWords>()
  const name = useLatest(nameOf)
  useEffect(() => {
    setSaid(undefined)
    return messenger.watchReactions((news) => {
      const about = { peerId, nameOf: name.current, now: messenger.now() }
      const words = describeReaction(news, about)
      if (words) setSaid({ key: `${news.message._id} ${news.reaction.at}`, words })
    })
  }, [messenger, peerId, name])
  return said
}

/** The announcement of a reaction to an own message; undefined if it is not new in this chat. */
export function describeReaction(
  { message, userId, reaction }: ReactionNews,
  { peerId, nameOf, now }: { peerId: string; nameOf: (userId: string) => string; now: number },
): string | undefined {
  if (message.peerId !== peerId || now - reaction.at > freshMs) return undefined
  return `${nameOf(userId)} reacted ${reaction.emoji} to: ${cutPreview(describeMessage(message))}`
}
