import { getLastCheckpointDoc, setCheckpoint } from 'rxdb/plugins/core'
import type { RxReplicationState } from 'rxdb/plugins/replication'

/** A tab takes a write's time before it stores it: a later one of another tab may be stored before. */
const overlapMs = 10_000

/**
 * RxDB finds what to push by the time of the last write, on the device's clock. A tab that died before it
 * could tell of its write, or a clock that was set back, leaves something before that point, which would
 * never leave (P1). So each start looks a little further back, or at everything when the clock went back.
 */
export async function repairPushCheckpoint<T, Checkpoint>(
  state: RxReplicationState<T, Checkpoint>,
): Promise<void> {
  await state.startPromise
  const { internalReplicationState: internal } = state
  if (!internal) return
  await internal.streamQueue.up
  if (internal.events.canceled.getValue()) return
  const checkpoint = (await getLastCheckpointDoc(internal, 'up')) as { lwt?: number } | undefined
  if (checkpoint?.lwt === undefined) return
  await setCheckpoint(internal, 'up', findPushPlace(checkpoint))
  state.reSync()
}

/** From where on something may not have been pushed, given the checkpoint of what was. */
export function findPushPlace({ lwt = 0 }: { lwt?: number } = {}): { id: string; lwt: number } {
  return { id: '', lwt: lwt > Date.now() ? 0 : Math.max(lwt - overlapMs, 0) }
}
