import { useEffect, useState } from 'react'
import type { ConversationView, Messenger } from '../sync/messenger-types.ts'

/** The open conversation with this person; closed on unmount. Undefined at first. */
export function useConversationView(
  messenger: Messenger,
  peerId: string,
  /** A message to start at instead of the first unread one. */
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
