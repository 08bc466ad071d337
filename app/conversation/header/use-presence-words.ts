import { useEffect, useState } from 'react'
import type { KnownPerson } from '../../database/storage/known-person.ts'
import type { Messenger } from '../../sync/messenger-types.ts'
import { formatLastSeen } from '../../ui/format/format-last-seen.ts'
import { useLivePart } from '../../ui/hooks/use-live-value.ts'
import { useIsOnline } from '../../ui/people/use-is-online.ts'

const minuteMs = 60_000

interface PresenceWords {
  words: string
  isOnline: boolean
  isTyping: boolean
}

/** 'typing...', 'online', or when this person was last seen; updates as time passes. */
export function usePresenceWords(
  messenger: Messenger,
  peerId: string,
  peer: KnownPerson | undefined,
): PresenceWords {
  const isOnline = useIsOnline(messenger, peerId)
  const isTyping = useLivePart(messenger.presence, (presence) => presence.isTyping(peerId))
  const now = useMinute()
  return { words: describe(), isOnline, isTyping }

  function describe(): string {
    if (isTyping) return 'typing...'
    if (isOnline) return 'online'
    // Nothing to show: the record is not loaded, the account is deleted, or the person is on
    // WhatsApp.
    if (!peer || peer.isDeleted || peer.isWhatsAppContact) return ''
    const lastSeen = peer.lastSeen ? Date.parse(peer.lastSeen) : undefined
    return `last seen ${formatLastSeen(lastSeen, now)}`
  }
}

function useMinute(): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), minuteMs)
    return () => clearInterval(timer)
  }, [])
  return now
}
