import type { Dexie } from 'dexie'
import { accompanyWrites } from './accompany-writes.ts'

type Note = { id: string }

const staged = new WeakMap<Dexie, Map<string, Note>>()

/** What waits to be stored in the transaction that stores a message, by the message's id. */
function listStagedNotes(dexie: Dexie): Map<string, Note> {
  const known = staged.get(dexie) ?? new Map<string, Note>()
  staged.set(dexie, known)
  return known
}

/** Stores what is staged for a message in the very transaction that stores it: no crash leaves one without the other. */
export function storeStagedNotes(dexie: Dexie): void {
  const waiting = listStagedNotes(dexie)
  accompanyWrites<{ _id: string }>(dexie, 'storeStagedNotes', (written) => ({
    values: written.flatMap(({ _id }) => waiting.get(_id) ?? []),
  }))
}

/** Runs the write of a message so that the note is stored with it, or neither is. */
export async function writeWithNote<T>(
  dexie: Dexie,
  { messageId, note }: { messageId: string; note: Note },
  write: () => Promise<T>,
): Promise<T> {
  const waiting = listStagedNotes(dexie)
  waiting.set(messageId, note)
  try {
    return await write()
  } finally {
    waiting.delete(messageId)
  }
}
