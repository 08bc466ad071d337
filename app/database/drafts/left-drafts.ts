import type { MessageCollection } from '../storage/collections.ts'
import { noteTable } from '../storage/dexie/accompany-writes.ts'
import { readDexie } from '../storage/dexie/owed-notes.ts'
import type { StoredDraft } from '../storage/open-device-store.ts'

/** The remainders of drafts whose words became a message, stored in that message's transaction. */
export interface LeftDrafts {
  id: string
  drafts: readonly StoredDraft[]
}

const leftPrefix = 'draft|'

/** The next message from the same draft replaces it. */
export function toLeftDrafts(own: StoredDraft, others: readonly StoredDraft[]): LeftDrafts {
  return { id: leftPrefix + own._id, drafts: [own, ...others] }
}

export async function readLeftDrafts(messages: MessageCollection): Promise<StoredDraft[]> {
  const dexie = await readDexie(messages.storageInstance)
  const notes = dexie.table<LeftDrafts, string>(noteTable)
  const left = await notes.where('id').startsWith(leftPrefix).toArray()
  return left.flatMap(({ drafts }) => drafts)
}
