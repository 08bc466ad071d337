import * as z from 'zod/mini'
import { sealedReaction } from './encryption/sealed-part.ts'
import { isEmoji } from './helpers/emoji.ts'
import { id } from './id.ts'
import type { MessageDocument } from './message.ts'

/** Epoch milliseconds within a Date's range. */
const epochMs = z.number().check(z.int(), z.gte(0), z.lte(8.64e15))

/**
 * One person's reaction to a message. `emoji` is empty once removed, and in an encrypted message,
 * where `sealed` has it; `at`: epoch ms.
 */
const reaction = z.object({
  emoji: z.string().check(z.maxLength(200)),
  sealed: z.optional(sealedReaction),
  at: epochMs,
})
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

/** May this be stored as somebody's reaction? What is sealed only its people can judge. */
export function isReactionAllowed({ emoji, sealed }: Reaction): boolean {
  return sealed === undefined ? isReaction(emoji) : emoji === ''
}

/** A register per person: the later one wins, then the greater emoji, then what is sealed. */
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
  if (a.at !== b.at) return a.at > b.at
  return a.emoji === b.emoji ? (a.sealed ?? '') > (b.sealed ?? '') : a.emoji > b.emoji
}

/** The visible reactions, earliest first, without removed ones and those that are still sealed. */
export function listReactions(
  reactions: Reactions | undefined,
): { userId: string; emoji: string; at: number }[] {
  return listAllReactions(reactions).filter(({ emoji }) => emoji !== '')
}

/** All that were not removed, earliest first. */
export function listAllReactions(
  reactions: Reactions | undefined,
): ({ userId: string } & Reaction)[] {
  return Object.entries(reactions ?? {})
    .flatMap(([userId, entry]) =>
      entry.emoji === '' && entry.sealed === undefined ? [] : [{ userId, ...entry }],
    )
    .sort((a, b) => a.at - b.at || (a.userId < b.userId ? -1 : 1))
}

/**
 * The message with this person's reaction, at a time later than their previous one; empty removes
 * it, unless `sealed` has it.
 */
export function react(
  message: MessageDocument,
  {
    userId,
    emoji,
    sealed,
    now,
  }: { userId: string; emoji: string; sealed?: string | undefined; now: number },
): MessageDocument {
  const before = message.reactions?.[userId]
  const at = Math.max(now, (before?.at ?? -1) + 1)
  return {
    ...message,
    reactions: {
      ...message.reactions,
      [userId]: { emoji, ...(sealed !== undefined && { sealed }), at },
    },
  }
}
