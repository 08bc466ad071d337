import { useEffect, useState } from 'react'
import { kindOf } from '../../../schema/conversation.ts'
import type { PublicUser } from '../../../schema/user.ts'
import { formatLastSeen } from '../format/format-times.ts'
import { type LiveSource, useLivePart } from '../hooks/use-live-value.ts'

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
  /** Undefined for a group: it is never online, and nobody watches it. */
  peerId: string | undefined,
  peer: (PublicUser & { isDeleted?: true }) | undefined,
): PresenceWords {
  const isOnline = useIsOnline(source, peerId)
  const isTyping = useLivePart(
    source.presence,
    (presence) => peerId !== undefined && presence.isTyping(peerId),
  )
  const isBlocked = useLivePart(
    source.blocked,
    (ids) => peerId !== undefined && ids.includes(peerId),
  )
  const now = useMinute()
  if (isBlocked) return { words: 'Blocked', isOnline: false, isTyping: false }
  // The server counts somebody who just left as online for a few seconds more.
  if (peer?.isDeleted) return { words: '', isOnline: false, isTyping: false }
  return { words: describe(), isOnline, isTyping }

  function describe(): string {
    if (isTyping) return 'typing...'
    if (isOnline) return 'online'
    // Nothing to show: the record is not loaded, or the person is on WhatsApp.
    if (!peer || kindOf(peer) === 'business') return ''
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

/**
 * Empty without a time: whoever was never there, hides it or blocks the reader gives none, and
 * words for one of them would tell it from the others. Empty too while the record still says
 * online: its time is out of date.
 * @param now epoch ms
 */
export function describeLastSeen(
  person: Pick<PublicUser, 'isOnline' | 'lastSeen'>,
  now: number,
): string {
  if (person.isOnline || !person.lastSeen) return ''
  return `last seen ${formatLastSeen(Date.parse(person.lastSeen), now)}`
}

/** Reports who is online among the watched people. */
interface PresenceSource {
  presence: LiveSource<{ isOnline(userId: string): boolean }>
  /** @returns a function that stops watching */
  watchPerson(userId: string): () => void
}

/** Is this person online? Watches them while mounted; undefined for nobody. */
export function useIsOnline(source: PresenceSource, userId: string | undefined): boolean {
  useEffect(() => (userId !== undefined ? source.watchPerson(userId) : undefined), [source, userId])
  return useLivePart(
    source.presence,
    (presence) => userId !== undefined && presence.isOnline(userId),
  )
}
