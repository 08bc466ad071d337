import { useEffect, useState } from 'react'
import type { PublicUser } from '../../../schema/user.ts'
import { type LiveSource, useLivePart } from '../hooks/use-live-value.ts'
import { describeLastSeen } from './describe-last-seen.ts'
import { type PresenceSource, useIsOnline } from './use-is-online.ts'

const minuteMs = 60_000

interface PresenceWords {
  words: string
  isOnline: boolean
  isTyping: boolean
}

interface Source extends PresenceSource {
  presence: LiveSource<{ isOnline(userId: string): boolean; isTyping(userId: string): boolean }>
  /** The people the reader blocks: nobody's presence is shared with them. */
  blocked: LiveSource<readonly string[]>
}

/** 'typing...', 'online', or when this person was last seen; updates as time passes. */
export function usePresenceWords(
  source: Source,
  peerId: string,
  peer: (PublicUser & { isDeleted?: true }) | undefined,
): PresenceWords {
  const isOnline = useIsOnline(source, peerId)
  const isTyping = useLivePart(source.presence, (presence) => presence.isTyping(peerId))
  const isBlocked = useLivePart(source.blocked, (ids) => ids.includes(peerId))
  const now = useMinute()
  if (isBlocked) return { words: 'Blocked', isOnline: false, isTyping: false }
  // The server counts somebody who just left as online for a few seconds more.
  if (peer?.isDeleted) return { words: '', isOnline: false, isTyping: false }
  return { words: describe(), isOnline, isTyping }

  function describe(): string {
    if (isTyping) return 'typing...'
    if (isOnline) return 'online'
    // Nothing to show: the record is not loaded, or the person is on WhatsApp.
    if (!peer || peer.isWhatsAppContact) return ''
    return describeLastSeen(peer, now)
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
