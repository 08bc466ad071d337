import { useEffect, useState } from 'react'
import type { ConversationView, Messenger } from '../sync/messenger-types.ts'

/** The open conversation with this person; closed when the screen goes. Undefined for the first moment. */
export function useConversationView(
  messenger: Messenger,
  peerId: string,
  /** A message to begin at instead of the unread ones. */
  startsAtId: string | undefined,
): ConversationView | undefined {
  const [view, setView] = useState<ConversationView>()
  useEffect(() => {
    const opened = messenger.openConversation(peerId, { startsAtUnread: true, startsAtId })
    setView(opened)
    return () => {
      setView(undefined)
      opened.close()
    }
  }, [messenger, peerId, startsAtId])
  return view
}
