import { createFetchedPart } from '../platform/fetched-part.ts'
import type { Sync, SyncOptions } from './sync.ts'

export type LazySyncOptions = SyncOptions & { untilDrawn: Promise<unknown> }

/** Replicates like `createSync`; loads its code after the page has drawn the device's data. */
export function createLazySync(options: LazySyncOptions): Sync {
  const { platform, untilDrawn, onOutcome, onError } = options
  const sync = createFetchedPart({
    platform,
    untilDrawn,
    async load() {
      const { createSync } = await import('./sync.ts')
      return () => createSync(options)
    },
    onMissing(cause) {
      onError(cause)
      onOutcome('unreachable')
    },
  })
  return {
    hurry: () => sync.get()?.hurry(),
    sendNow: () => sync.get()?.sendNow(),
    nextTryInMs: () => sync.get()?.nextTryInMs(),
    // Until it has started nothing can be missed: the first pull brings it.
    expectMessage: (id) => sync.get()?.expectMessage(id),
    close: sync.close,
  }
}
