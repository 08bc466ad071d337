import * as z from 'zod/mini'
import { limits } from '../../../schema/limits.ts'
import { recentEmojiKey } from '../../sync/platform/own-texts.ts'
import type { SuggestedMode } from './emoji-categories.ts'

/**
 * An emoji picked on this device. Codes, such as `1f44d-1f3fd`; `original` is the one without a
 * skin tone.
 */
const recentEmoji = z.object({
  id: z.string(),
  original: z.string(),
  count: z.number().check(z.int(), z.gte(1)),
})
export type RecentEmoji = z.infer<typeof recentEmoji>

type Kept = Pick<Storage, 'getItem' | 'setItem'>

/** The emoji picked on this device, most recent or most frequent first. */
export function readRecentEmoji(mode: SuggestedMode, kept: Kept = localStorage): RecentEmoji[] {
  const recent = readKept(kept)
  // Sorting is stable: equal counts stay in order of recency.
  return mode === 'recent' ? recent : recent.sort((a, b) => b.count - a.count)
}

/** Records a picked emoji; evicts the least recently picked one. */
export function recordRecentEmoji(
  picked: Omit<RecentEmoji, 'count'>,
  kept: Kept = localStorage,
): void {
  const recent = readKept(kept)
  const before = recent.find(({ id }) => id === picked.id)
  const others = recent.filter((one) => one !== before)
  const { id, original } = picked
  const now = [{ id, original, count: (before?.count ?? 0) + 1 }, ...others].slice(
    0,
    limits.recentEmojiMax,
  )
  try {
    kept.setItem(recentEmojiKey, JSON.stringify(now))
  } catch {
    // Full storage loses a suggestion, never the emoji.
  }
}

function readKept(kept: Kept): RecentEmoji[] {
  try {
    return z.array(recentEmoji).parse(JSON.parse(kept.getItem(recentEmojiKey) ?? '[]'))
  } catch {
    return []
  }
}
