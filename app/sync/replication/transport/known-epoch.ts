import type { DeviceStore, StoredEpoch } from '../../../database/storage/open-device-store.ts'

/** In which epoch of the server the checkpoints of one replication count. */
export interface KnownEpoch {
  get(): string | undefined
  /**
   * Hears the epoch that came with an answer; the first one is stored before the answer may be used.
   * @returns false where it is another one: what the answer says belongs to another history
   */
  take(epoch: string): Promise<boolean>
}

/** @param onNew told once, when the server counts in another epoch */
export function createKnownEpoch(options: {
  table: DeviceStore['epochs']
  collection: string
  stored: StoredEpoch | undefined
  onNew: (epoch: string) => void
}): KnownEpoch {
  const { table, collection, stored, onNew } = options
  const state = { epoch: stored?.epoch, isOver: false }

  return {
    get: () => state.epoch,
    async take(epoch) {
      if (state.isOver) return false
      if (state.epoch === undefined) {
        await table.put({ _id: collection, epoch, isRenewed: false })
        state.epoch ??= epoch
      }
      if (state.epoch === epoch) return true
      state.isOver = true
      onNew(epoch)
      return false
    },
  }
}
