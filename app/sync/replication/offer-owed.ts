import type { RxCollection } from 'rxdb/plugins/core'
import type { RxReplicationState } from 'rxdb/plugins/replication'
import { openOwedNotes } from '../../database/storage/dexie/owed-notes.ts'
import { findOwed, wholeKey } from './find-owed.ts'
import type { PushFloor } from './push-floor.ts'

/** RxDB reacts to a request a moment later. */
const heardAfterMs = 10

/**
 * RxDB finds documents to push by their write time on the device's clock, and by write events. A
 * changed clock, a crashed tab or a failed disk leaves some behind its checkpoint, never to be
 * sent. So this looks up what is owed and makes RxDB start before all of it (P11).
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
  // A push under way moves the checkpoint when it ends.
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
    // A pass that started earlier makes RxDB skip this one.
    if (floor.isTaken()) return
  }
}
