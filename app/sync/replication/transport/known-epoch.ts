import type { DeviceStore, StoredEpoch } from '../../../database/storage/open-device-store.ts'

/** The server epoch of one replication's checkpoints. */
export interface KnownEpoch {
  get(): string | undefined
  /**
   * Checks an answer's epoch; stores the first one before the answer may be used.
   * @returns false for another one: the answer belongs to another history
   */
  take(epoch: string): Promise<boolean>
}

/** @param onNew called once, when the server's epoch has changed */
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
