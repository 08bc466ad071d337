import { editSegment, type SegmentEdit } from './edit-segment.ts'
import type { IndexState, IndexStore } from './open-index-store.ts'

/** More would hold up the searches, which wait while an edit is written. */
const segmentsPerWrite = 8

/**
 * Writes edits that were planned on `state`, and then the new state. An interruption in between is harmless:
 * what is written is found unchanged when the same messages are read again.
 *
 * @returns false when another tab wrote meanwhile; the plan is then void, and is made again.
 */
export async function commitEdits(
  store: IndexStore,
  plan: { state: IndexState; edits: readonly SegmentEdit[]; next: Partial<IndexState> },
): Promise<boolean> {
  const { edits, next } = plan
  let { generation } = plan.state
  for (let from = 0; from < edits.length || from === 0; from += segmentsPerWrite) {
    const isLast = from + segmentsPerWrite >= edits.length
    const isWritten = await store.transaction('rw', store.tables, async () => {
      const found = await store.state.get('state')
      if (found?.generation !== generation) return false
      for (const edit of edits.slice(from, from + segmentsPerWrite)) await editSegment(store, edit)
      await store.state.put({ ...found, ...(isLast && next), generation: generation + 1 })
      return true
    })
    if (!isWritten) return false
    generation += 1
  }
  return true
}
