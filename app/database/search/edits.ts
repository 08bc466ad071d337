import type { SegmentEdit } from './edit-segment.ts'

/** The edits by segment, each created on first use. */
export function createEdits() {
  const bySegment = new Map<number, SegmentEdit>()
  const of = (segment: number): SegmentEdit => {
    const found = bySegment.get(segment)
    if (found) return found
    const edit: SegmentEdit = { segment, strip: [], dropped: [], put: [], moved: [] }
    bySegment.set(segment, edit)
    return edit
  }
  return {
    of,
    drop(place: { _id: string; segment: number; position: number }) {
      const edit = of(place.segment)
      edit.strip.push(place.position)
      edit.dropped.push(place._id)
    },
    list: () => [...bySegment.values()],
  }
}
