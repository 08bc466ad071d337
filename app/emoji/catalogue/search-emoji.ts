import type { EmojiData, EmojiEntry } from './emoji-data.ts'

/**
 * What the search of the picker finds; undefined where the words are too few to search for. Source: section 5 of the
 * specification.
 */
export async function searchEmoji(
  data: Pick<EmojiData, 'search'>,
  typed: string,
): Promise<readonly EmojiEntry[] | undefined> {
  const words = typed.trim().toLowerCase()
  return [...words].length <= 1 ? undefined : await data.search(words)
}
