import type { EmojiData, EmojiEntry } from './emoji-data.ts'

/**
 * The picker's search results; undefined for a query that is too short. Source: decision 61,
 * section 5.
 */
export async function searchEmoji(
  data: Pick<EmojiData, 'search'>,
  typed: string,
): Promise<readonly EmojiEntry[] | undefined> {
  const words = typed.trim().toLowerCase()
  return [...words].length <= 1 ? undefined : await data.search(words)
}
