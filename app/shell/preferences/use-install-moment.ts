import { useEffect } from 'react'
import type { InstallOffer } from '../../offline/install-prompt.ts'
import type { Messenger } from '../../sync/messenger-types.ts'

/** Tells the install offer of each message that this person sends while the app is open. */
export function useInstallMoment(
  { conversations, userId }: Pick<Messenger, 'conversations' | 'userId'>,
  offer: Pick<InstallOffer, 'recordSent'>,
): void {
  useEffect(() => {
    const readOwn = () =>
      conversations
        .getSnapshot()
        .flatMap(({ lastMessage }) =>
          lastMessage?.senderId === userId && lastMessage.status !== 'failed' ? [lastMessage] : [],
        )
    const known = new Set(readOwn().map(({ _id }) => _id))
    const openedAt = Date.now()
    return conversations.subscribe(() => {
      for (const { _id, createdAt } of readOwn()) {
        // Older ones only arrive now, from another device or an earlier sign-in.
        if (known.has(_id)) continue
        known.add(_id)
        if (createdAt >= openedAt - clockSlackMs) offer.recordSent()
      }
    })
  }, [conversations, userId, offer])
}

/** The messenger's clock follows the server's. */
const clockSlackMs = 5_000
