/** The first section: the most often or the most recently picked emoji. */
export const suggestedModes = ['frequent', 'recent'] as const
export type SuggestedMode = (typeof suggestedModes)[number]

export const suggestedNames: Record<SuggestedMode, string> = {
  frequent: 'Frequently Used',
  recent: 'Recently Used',
}

/** emoji-mart's categories with their shown names, in the order of decision 61, section 2. */
export const emojiCategories = [
  { id: 'people', name: 'Smileys & People' },
  { id: 'nature', name: 'Animals & Nature' },
  { id: 'foods', name: 'Food & Drink' },
  { id: 'places', name: 'Travel & Places' },
  { id: 'activity', name: 'Activities' },
  { id: 'objects', name: 'Objects' },
  { id: 'symbols', name: 'Symbols' },
  { id: 'flags', name: 'Flags' },
] as const

export type EmojiCategoryId = 'suggested' | (typeof emojiCategories)[number]['id']
