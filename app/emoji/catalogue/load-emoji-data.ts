import type { EmojiCategory, EmojiData, EmojiEntry } from './emoji-data.ts'

interface MartData {
  categories: EmojiCategory[]
  emojis: Record<string, EmojiEntry>
}

let loading: Promise<EmojiData> | undefined

/**
 * emoji-mart's data and index, loaded once from our own server; the next call retries a failure.
 */
export function loadEmojiData(): Promise<EmojiData> {
  loading ??= load().catch((error: unknown) => {
    loading = undefined
    throw error
  })
  return loading
}

async function load(): Promise<EmojiData> {
  const [{ init, SearchIndex }, { default: json }] = await Promise.all([
    import('emoji-mart'),
    import('@emoji-mart/data/sets/15/all.json?raw'),
  ])
  const mart = JSON.parse(json) as MartData
  // emoji-mart removes hidden emoji from its data: copy the categories first.
  const categories = mart.categories.map(({ id, emojis }) => ({ id, emojis: [...emojis] }))
  // Without local data and texts emoji-mart asks a third-party server. A set other than `native`
  // removes nothing permanently: each style decides which emoji this device can draw.
  await init({ data: mart, set: 'google', emojiVersion: 15 })
  const byCode = new Map<string, EmojiEntry>()
  for (const emoji of Object.values(mart.emojis)) {
    for (const skin of emoji.skins) byCode.set(skin.unified, emoji)
  }
  return {
    categories,
    get: (id) => mart.emojis[id],
    findByCode: (unified) => byCode.get(unified),
    async search(words) {
      const found: EmojiEntry[] | null = await SearchIndex.search(words, {
        maxResults: 90,
        caller: undefined,
      })
      return found ?? []
    },
  }
}
