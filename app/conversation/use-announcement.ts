import { useState } from 'react'
import type { MessageDocument } from '../../schema/message.ts'
import { describeMessage } from '../ui/describe-message.ts'

interface AnnouncementOptions {
  peerId: string
  peerName: string
}

/** What a screen reader says of a message that has just come in; older ones that are loaded are not said. */
export function useAnnouncement(
  items: readonly MessageDocument[],
  { peerId, peerName }: AnnouncementOptions,
): string {
  const last = items.at(-1)
  const [seen, setSeen] = useState({ id: last?._id, place: last?.orderedAt ?? 0, words: '' })
  if (last?._id === seen.id) return seen.words
  const isNew = seen.id !== undefined && last !== undefined && last.orderedAt > seen.place
  const isTheirs = isNew && last.senderId === peerId
  const words = isTheirs ? `${peerName}: ${describeMessage(last)}` : seen.words
  setSeen({ id: last?._id, place: Math.max(seen.place, last?.orderedAt ?? 0), words })
  return words
}
