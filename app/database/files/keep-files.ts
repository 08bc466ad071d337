import type { Dexie } from 'dexie'
import { accompanyWrites } from '../accompany-writes.ts'

/** A file on this device, by the message that it belongs to. */
export interface KeptFile {
  /** `filePrefix` and the message's id. */
  id: string
  file: Blob
  /** When it came onto this device, epoch ms. */
  at: number
}

export const filePrefix = 'file|'

/** Files whose messages are about to be written, by the message's id. */
const staged = new WeakMap<Dexie, Map<string, KeptFile>>()

/** What waits to be stored together with its message. */
export function listStaged(dexie: Dexie): Map<string, KeptFile> {
  const known = staged.get(dexie) ?? new Map<string, KeptFile>()
  staged.set(dexie, known)
  return known
}

/**
 * Stores a file in the very transaction that stores its message, and takes it away in the one that stores that the
 * message was deleted: no crash and no full disk leaves one without the other (P1, P8).
 */
export function keepFiles(dexie: Dexie): void {
  const waiting = listStaged(dexie)
  accompanyWrites<{ _id: string; deletedAt?: number }>(dexie, 'keepFiles', (written) => ({
    values: written.flatMap(({ _id }) => waiting.get(_id) ?? []),
    keys: written.flatMap(({ _id, deletedAt }) => (deletedAt ? [filePrefix + _id] : [])),
  }))
}
