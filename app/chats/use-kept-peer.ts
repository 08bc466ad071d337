import { useState } from 'react'
import type { ListFilter } from './filter-rows.ts'

/**
 * The peer of the open chat that was opened under this filter: its row must not vanish while it is
 * read.
 */
export function useKeptPeer(
  filter: ListFilter,
  selectedPeerId: string | undefined,
): string | undefined {
  const [now, setNow] = useState({ filter, selectedPeerId, isKept: false })
  if (now.filter !== filter || now.selectedPeerId !== selectedPeerId) {
    setNow({ filter, selectedPeerId, isKept: now.filter === filter })
  }
  return filter === 'Unread' && now.isKept ? selectedPeerId : undefined
}
