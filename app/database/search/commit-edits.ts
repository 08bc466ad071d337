import { editSegment, type SegmentEdit } from './edit-segment.ts'
import type { IndexState, IndexStore } from './open-index-store.ts'

/** Larger writes would hold up searches, which wait for them. */
const segmentsPerWrite = 8

/**
 * Writes edits planned on `state`, then the new state. An interruption in between is harmless:
 * rereading the same messages finds those edits unchanged.
 *
 * @returns false when another tab wrote meanwhile: the plan is void and must be remade
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
