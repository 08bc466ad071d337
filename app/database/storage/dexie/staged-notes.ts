import type { Dexie } from 'dexie'
import { accompanyWrites } from './accompany-writes.ts'

type Note = { id: string }

const staged = new WeakMap<Dexie, Map<string, Note>>()

/** Notes to store in a message's transaction, by the message's id. */
function listStagedNotes(dexie: Dexie): Map<string, Note> {
  const known = staged.get(dexie) ?? new Map<string, Note>()
  staged.set(dexie, known)
  return known
}

/**
 * Stores a message's staged note in the same transaction: no crash leaves one without the other.
 */
export function storeStagedNotes(dexie: Dexie): void {
  const waiting = listStagedNotes(dexie)
  accompanyWrites<{ _id: string }>(dexie, 'storeStagedNotes', (written) => ({
    values: written.flatMap(({ _id }) => waiting.get(_id) ?? []),
  }))
}

/** Runs a message's write so that both the message and the note are stored, or neither is. */
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
