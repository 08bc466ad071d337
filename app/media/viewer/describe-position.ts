import type { SiftedWindow } from '../../database/views/sifted-window.ts'

type Known = Pick<SiftedWindow, 'items' | 'hasOlder' | 'hasNewer'>

/**
 * A picture's position: '3 of 12', from the oldest on, or the known part while the total is
 * unknown.
 */
export function describePosition(index: number, { items, hasOlder, hasNewer }: Known): string {
  const after = items.length - 1 - index
  if (!hasOlder && !hasNewer) return `${index + 1} of ${items.length}`
  return `${count(index, hasOlder)} older, ${count(after, hasNewer)} newer`
}

function count(known: number, hasMore: boolean): string {
  return hasMore ? `${known} or more` : `${known}`
}
