import type { EmojiCategory, EmojiData, EmojiEntry } from './emoji-data.ts'

interface MartData {
  categories: EmojiCategory[]
  emojis: Record<string, EmojiEntry>
}

let loading: Promise<EmojiData> | undefined

/** emoji-mart's data and index, fetched from our own server once; after a failure the next call tries again. */
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
  // emoji-mart takes out of its data what it does not show: ours is kept before.
  const categories = mart.categories.map(({ id, emojis }) => ({ id, emojis: [...emojis] }))
  // Without data and words of its own it asks a server that is not ours. With a set other than `native` it leaves
  // out nothing for good: which emoji this device can draw is decided for each style.
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
