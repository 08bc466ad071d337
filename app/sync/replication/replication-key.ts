import type { StoredEpoch } from '../../database/storage/open-device-store.ts'

/** The name of a collection's checkpoints on this device. */
export function replicationKey(stored: StoredEpoch | undefined): string {
  return stored?.isRenewed ? `petrel-${stored.epoch}` : 'petrel'
}
