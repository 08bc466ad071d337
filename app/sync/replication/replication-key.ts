import type { StoredEpoch } from '../../database/storage/open-device-store.ts'

/** What the checkpoints of a collection are called on this device. */
export function replicationKey(stored: StoredEpoch | undefined): string {
  return stored?.isRenewed ? `petrel-${stored.epoch}` : 'petrel'
}
