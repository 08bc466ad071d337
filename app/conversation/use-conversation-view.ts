import { useEffect, useState } from 'react'
import type { ConversationView, Messenger } from '../sync/messenger.ts'

/** The open conversation with this person; closed when the screen goes. Undefined for the first moment. */
export function useConversationView(
  messenger: Messenger,
  peerId: string,
): ConversationView | undefined {
  const [view, setView] = useState<ConversationView>()
  useEffect(() => {
    const opened = messenger.openConversation(peerId, { startsAtUnread: true })
    setView(opened)
    return () => {
      setView(undefined)
      opened.close()
    }
  }, [messenger, peerId])
  return view
}
