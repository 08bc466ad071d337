import * as z from 'zod/mini'
import { parseJson } from '../../../schema/helpers/parse-json.ts'
import type { KeyValueStorage } from '../storage/key-value-storage.ts'
import type { StoredDraft } from '../storage/open-device-store.ts'

const mirroredDraft = z.object({
  text: z.string(),
  at: z.number(),
  replyTo: z.optional(z.string()),
  edit: z.optional(z.object({ messageId: z.string(), text: z.string() })),
  sending: z.optional(
    z.object({ messageId: z.string(), text: z.string(), replyTo: z.optional(z.string()) }),
  ),
})

/** Drafts that did not reach the database: the entries of localStorage under `prefix`. */
export function readMirroredDrafts(
  texts: KeyValueStorage | undefined,
  prefix: string,
): StoredDraft[] {
  const keys = Array.from({ length: texts?.length ?? 0 }, (_, index) => texts?.key(index))
  return keys.flatMap((key) => {
    if (!key?.startsWith(prefix)) return []
    const draft = mirroredDraft.safeParse(parseJson(texts?.getItem(key) ?? ''))
    return draft.success ? [{ _id: key.slice(prefix.length), ...draft.data }] : []
  })
}
