import * as z from 'zod/mini'
import type { SuggestedMode } from './emoji-categories.ts'

const recentKey = 'recentEmojis'
const recentMax = 14

/** An emoji that was picked on this device. Codes, such as `1f44d-1f3fd`; `original` is the one without a skin tone. */
const recentEmoji = z.object({
  id: z.string(),
  original: z.string(),
  count: z.number().check(z.int(), z.gte(1)),
})
export type RecentEmoji = z.infer<typeof recentEmoji>

type Kept = Pick<Storage, 'getItem' | 'setItem'>

/** What was picked on this device: the last one first, or the most often picked. */
export function readRecentEmoji(mode: SuggestedMode, kept: Kept = localStorage): RecentEmoji[] {
  const recent = readKept(kept)
  // Sorting is stable: of those that were picked as often, the last one comes first.
  return mode === 'recent' ? recent : recent.sort((a, b) => b.count - a.count)
}

/** Notes that an emoji was picked. What was picked longest ago makes room. */
export function recordRecentEmoji(
  picked: Omit<RecentEmoji, 'count'>,
  kept: Kept = localStorage,
): void {
  const recent = readKept(kept)
  const before = recent.find(({ id }) => id === picked.id)
  const others = recent.filter((one) => one !== before)
  const { id, original } = picked
  const now = [{ id, original, count: (before?.count ?? 0) + 1 }, ...others].slice(0, recentMax)
  try {
    kept.setItem(recentKey, JSON.stringify(now))
  } catch {
    // A full storage costs a suggestion, never the emoji.
  }
}

function readKept(kept: Kept): RecentEmoji[] {
  try {
    return z.array(recentEmoji).parse(JSON.parse(kept.getItem(recentKey) ?? '[]'))
  } catch {
    return []
  }
}
