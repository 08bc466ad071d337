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

/** Takes a file away in the very transaction that stores that its message was deleted (P8). */
export function dropFiles(dexie: Dexie): void {
  accompanyWrites<{ _id: string; deletedAt?: number }>(dexie, 'dropFiles', (written) => ({
    keys: written.flatMap(({ _id, deletedAt }) => (deletedAt ? [filePrefix + _id] : [])),
  }))
}
