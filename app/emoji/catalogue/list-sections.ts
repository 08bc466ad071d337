import type { EmojiCategoryId, SuggestedMode } from './emoji-categories.ts'
import { emojiCategories, suggestedNames } from './emoji-categories.ts'
import type { EmojiData, EmojiEntry } from './emoji-data.ts'
import type { RecentEmoji } from './recent-emoji.ts'

/** An emoji in the picker, with the skin to draw. */
export interface OfferedEmoji {
  emoji: EmojiEntry
  skin: number
}

export interface EmojiSection {
  id: EmojiCategoryId | 'found'
  name: string
  offered: readonly OfferedEmoji[]
}

/** Can the chosen style draw it? */
export type CanDraw = (emoji: EmojiEntry) => boolean

/** All sections of the picker, without empty categories. Their order: decision 61, section 2. */
export function listSections(
  data: EmojiData,
  options: {
    recent: readonly RecentEmoji[]
    suggestedMode: SuggestedMode
    skinTone: number
    canDraw: CanDraw
  },
): EmojiSection[] {
  const { recent, suggestedMode, skinTone, canDraw } = options
  const suggested = recent.flatMap(({ id }): OfferedEmoji[] => {
    const emoji = data.findByCode(id)
    if (!emoji || !canDraw(emoji)) return []
    return [{ emoji, skin: emoji.skins.findIndex(({ unified }) => unified === id) }]
  })
  const categories = emojiCategories.map(({ id, name }): EmojiSection => {
    const emojis = data.categories.find((category) => category.id === id)?.emojis ?? []
    const drawn = emojis.flatMap((each) => data.get(each) ?? []).filter((each) => canDraw(each))
    return { id, name, offered: offer(drawn, skinTone) }
  })
  return [
    { id: 'suggested' as const, name: suggestedNames[suggestedMode], offered: suggested },
    ...categories,
  ].filter(({ offered }) => offered.length > 0)
}

/** The emoji in this skin tone, where they have one. */
export function offer(emojis: readonly EmojiEntry[], skinTone: number): OfferedEmoji[] {
  return emojis.map((emoji) => ({ emoji, skin: skinTone < emoji.skins.length ? skinTone : 0 }))
}
