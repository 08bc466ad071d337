import type { SegmentEdit } from './edit-segment.ts'
import { createEdits } from './edits.ts'
import { peerBucket } from './index-terms.ts'
import type { IndexStore } from './open-index-store.ts'
import { scanLines } from './posting-lines.ts'

/** How many segments' edits memory holds together. */
const segmentsPerSweep = 8

/**
 * Removes the words of cleared messages from the index, some segments at a time.
 *
 * @returns the next edits; none when all these conversations are swept up to their marks
 */
export async function planSweep(
  store: IndexStore,
  cleared: readonly (readonly [peerId: string, upTo: number])[],
): Promise<SegmentEdit[]> {
  const edits = createEdits()
  const highest = Math.max(...cleared.map(([, upTo]) => upTo))
  for (const { segment, oldest } of await store.heads.toArray()) {
    if (oldest > highest) continue
    if (edits.list().length === segmentsPerSweep) break
    const row = await store.postings.get([peerBucket, segment])
    const members = await store.members.get(segment)
    if (!row || !members) continue
    const ids = members.ids.split('\n')
    for (const [peerId, upTo] of cleared) {
      scanLines(row.lines, `${peerId}\t`, (position) => {
        const orderedAt = members.orders[position] ?? Number.POSITIVE_INFINITY
        const _id = ids[position]
        if (_id && orderedAt <= upTo) edits.drop({ _id, segment, position })
      })
    }
  }
  return edits.list()
}
