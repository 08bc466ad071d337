import * as z from 'zod/mini'
import { isEmoji } from './helpers/emoji.ts'
import { id } from './id.ts'

/** Epoch milliseconds within a Date's range. */
const epochMs = z.number().check(z.int(), z.gte(0), z.lte(8.64e15))

/** One person's reaction to a message. `emoji` is empty once removed; `at`: epoch ms. */
const reaction = z.object({ emoji: z.string().check(z.maxLength(200)), at: epochMs })
export type Reaction = z.infer<typeof reaction>

/** One per person, by their id. */
export const reactions = z.record(id, reaction)
export type Reactions = z.infer<typeof reactions>

/** The seven offered first. Source: decision 61, section 2. */
export const quickReactions = ['👍', '❤️', '😃', '😢', '🙏', '👎', '😡'] as const

/** Is this a valid reaction? Empty removes one. */
export function isReaction(emoji: string): boolean {
  return emoji === '' || isEmoji(emoji)
}

/** A register per person: the later one wins, then the greater emoji. */
export function mergeReactions(
  a: Reactions | undefined,
  b: Reactions | undefined,
): Reactions | undefined {
  if (!a || !b) return a ?? b
  const merged = { ...a }
  for (const [userId, one] of Object.entries(b)) {
    const other = merged[userId]
    if (!other || isLaterReaction(one, other)) merged[userId] = one
  }
  return merged
}

/** Does `a` win over `b`? */
export function isLaterReaction(a: Reaction, b: Reaction): boolean {
  return a.at === b.at ? a.emoji > b.emoji : a.at > b.at
}

/** The visible reactions, earliest first, without removed ones. */
export function listReactions(
  reactions: Reactions | undefined,
): { userId: string; emoji: string; at: number }[] {
  return Object.entries(reactions ?? {})
    .flatMap(([userId, { emoji, at }]) => (emoji === '' ? [] : [{ userId, emoji, at }]))
    .sort((a, b) => a.at - b.at || (a.userId < b.userId ? -1 : 1))
}
