import { noteTable } from '../storage/dexie/accompany-writes.ts'
import { readDexie } from '../storage/dexie/owed-notes.ts'
import type { MessageCollection } from '../storage/open-database.ts'
import type { StoredDraft } from '../storage/open-device-store.ts'

/** What is left of drafts when words of theirs have become a message: stored in the transaction that stores it. */
export interface LeftDrafts {
  id: string
  drafts: readonly StoredDraft[]
}

const leftPrefix = 'draft|'

/** The next message from the same draft takes its place. */
export function toLeftDrafts(own: StoredDraft, others: readonly StoredDraft[]): LeftDrafts {
  return { id: leftPrefix + own._id, drafts: [own, ...others] }
}

export async function readLeftDrafts(messages: MessageCollection): Promise<StoredDraft[]> {
  const dexie = await readDexie(messages.storageInstance)
  const notes = dexie.table<LeftDrafts, string>(noteTable)
  const left = await notes.where('id').startsWith(leftPrefix).toArray()
  return left.flatMap(({ drafts }) => drafts)
}
