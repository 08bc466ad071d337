import * as z from 'zod/mini'
import { id } from '../../../schema/id.ts'
import type { DeviceStore, StoredDraft } from '../../database/storage/open-device-store.ts'

/** Far above the longest message; a line of an export holds no more. */
const words = z.string().check(z.maxLength(500_000))

/** One line of `drafts.json`: as a device stores it. */
export const archivedDraft = z.object({
  _id: z.string().check(z.regex(/^[0-9a-f-]{36}(\/\d{1,4})?$/)),
  text: words,
  replyTo: z.optional(id),
  edit: z.optional(z.object({ messageId: id, text: words })),
  sending: z.optional(z.object({ messageId: id, text: words })),
  at: z.int().check(z.gte(0)),
})

/** What was written and not sent; an emptied draft is none. */
export async function listDrafts(table: DeviceStore['drafts']): Promise<StoredDraft[]> {
  const drafts = await table.toArray()
  return drafts.filter(
    (draft) =>
      (draft.text !== '' || draft.replyTo !== undefined || draft.edit !== undefined) &&
      archivedDraft.safeParse(draft).success,
  )
}

/** Stores those that this device lacks or has an older version of: the later of two wins. */
export async function mergeDrafts(
  table: DeviceStore['drafts'],
  drafts: AsyncIterable<StoredDraft>,
): Promise<void> {
  for await (const draft of drafts) {
    await table.db.transaction('rw', table, async () => {
      const here = await table.get(draft._id)
      if (!here || here.at < draft.at) await table.put(draft)
    })
  }
}
