/** One variant of an emoji: the plain one first, then the five skin tones. */
export interface EmojiSkin {
  /** Its code points, such as `1f44d-1f3fd`. */
  unified: string
  native: string
  /** Its position in a sheet, in cells. */
  x: number
  y: number
}

/** An emoji of emoji-mart's data. */
export interface EmojiEntry {
  /** Its short name, such as `thumbsup`. */
  id: string
  name: string
  version: number
  skins: readonly EmojiSkin[]
}

export interface EmojiCategory {
  id: string
  emojis: readonly string[]
}

/** All emoji, with look-up and search. */
export interface EmojiData {
  categories: readonly EmojiCategory[]
  get(id: string): EmojiEntry | undefined
  /** Finds an emoji by the code points of any of its skins. */
  findByCode(unified: string): EmojiEntry | undefined
  /** The emoji whose name, keywords or emoticons start with each of the words; the best first. */
  search(words: string): Promise<readonly EmojiEntry[]>
}
