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

function parseDraft(json: string): Omit<StoredDraft, '_id'> | undefined {
  try {
    const { text, at, replyTo } = JSON.parse(json) as Record<string, unknown>
    if (typeof text !== 'string' || typeof at !== 'number') return undefined
    return { text, at, ...(typeof replyTo === 'string' && { replyTo }) }
  } catch {
    return undefined
  }
}
