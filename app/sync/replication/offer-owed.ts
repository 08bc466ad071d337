import type { RxCollection } from 'rxdb/plugins/core'
import type { RxReplicationState } from 'rxdb/plugins/replication'
import { openOwedNotes } from '../../database/storage/dexie/owed-notes.ts'
import { findOwed, wholeKey } from './find-owed.ts'
import type { PushFloor } from './push-floor.ts'

/** RxDB hears of what it is asked a moment later. */
const heardAfterMs = 10

/**
 * RxDB finds what to push by the time of the last write, on the device's clock, and by what it hears of writes. A clock
 * that was moved, a tab that died before it told, a disk that failed: each leaves something behind its checkpoint, which
 * would never leave. So what is owed is looked up, and RxDB looks again from before all of it (P11).
 */
export async function offerOwed<T extends { _id: string }, Checkpoint>(options: {
  state: RxReplicationState<T, Checkpoint>
  collection: RxCollection<T>
  identifier: string
  /** Is it set aside for now? */
  isSetAside: (id: string) => boolean
  floor: PushFloor
}): Promise<void> {
  const { state, collection, identifier, isSetAside, floor } = options
  await state.startPromise
  const { internalReplicationState: internal } = state
  if (!internal) return
  // What is under way moves the checkpoint when it is over.
  await internal.streamQueue.up
  const isOver = () => internal.events.canceled.getValue()
  if (isOver() || !state.metaInstance) return
  const { owed, settled } = await findOwed({ collection, notes: state.metaInstance, identifier })
  const notes = await openOwedNotes(collection)
  if (!(await notes.hasMark(wholeKey(identifier)))) {
    await notes.add(owed.map(({ _id }) => _id))
    await notes.setMarks([wholeKey(identifier)])
  }
  await notes.drop(settled)
  const first = owed
    .filter(({ _id }) => !isSetAside(_id))
    .reduce((least, { _meta }) => Math.min(least, _meta.lwt), Number.POSITIVE_INFINITY)
  if (first === Number.POSITIVE_INFINITY) return
  floor.set(first)
  while (!isOver()) {
    state.reSync()
    await new Promise((resolve) => setTimeout(resolve, heardAfterMs))
    await internal.streamQueue.up
    // A look that had begun before makes RxDB pass over this one.
    if (floor.isTaken()) return
  }
}
