import type { KeptTexts } from './kept-texts.ts'
import type { StoredDraft } from './open-device-store.ts'

/** The drafts whose way into the database was cut off: what stands under `prefix` in the texts. */
export function readMirroredDrafts(texts: KeptTexts | undefined, prefix: string): StoredDraft[] {
  const keys = Array.from({ length: texts?.length ?? 0 }, (_, index) => texts?.key(index))
  return keys.flatMap((key) => {
    if (!key?.startsWith(prefix)) return []
    const draft = parseDraft(texts?.getItem(key) ?? '')
    return draft ? [{ _id: key.slice(prefix.length), ...draft }] : []
  })
}

function parseDraft(json: string): { text: string; at: number } | undefined {
  try {
    const { text, at } = JSON.parse(json) as { text?: unknown; at?: unknown }
    return typeof text === 'string' && typeof at === 'number' ? { text, at } : undefined
  } catch {
    return undefined
  }
}
