import { useEffect, useState } from 'react'
import type { Messenger } from '../../sync/messenger-types.ts'
import { useLatest } from '../../ui/hooks/use-latest.ts'
import { describeReaction } from './describe-reaction.ts'

/** An announcement; the key distinguishes repeated words. */
export interface ReactionWords {
  key: string
  words: string
}

/** The other person's newest reaction to an own message, if it arrives while the chat is open. */
export function useReactionNews({
  messenger,
  peerId,
  peerName,
}: {
  messenger: Pick<Messenger, 'watchReactions' | 'now'>
  peerId: string
  peerName: string
}): ReactionWords | undefined {
  const [said, setSaid] = useState<ReactionWords>()
  const name = useLatest(peerName)
  useEffect(() => {
    setSaid(undefined)
    return messenger.watchReactions((news) => {
      const about = { peerId, peerName: name.current, now: messenger.now() }
      const words = describeReaction(news, about)
      if (words) setSaid({ key: `${news.message._id} ${news.reaction.at}`, words })
    })
  }, [messenger, peerId, name])
  return said
}
