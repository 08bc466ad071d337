import { bucketOf, peerBucket } from './index-terms.ts'
import type { IndexStore, Place, SegmentHead } from './open-index-store.ts'
import {
  addPosting,
  decodeLines,
  encodeLines,
  type Postings,
  stripPositions,
} from './posting-lines.ts'

/** A message to index. */
export interface PlacedMessage extends Place {
  peerId: string
  terms: ReadonlySet<string>
}

/** The changes in one segment. A changed text is removed and added again at its old position. */
export interface SegmentEdit {
  segment: number
  /** Positions whose terms are removed. */
  strip: number[]
  /** Ids removed from the index; their positions are among `strip`. */
  dropped: string[]
  put: PlacedMessage[]
  /** Messages with the same text at a new place in the order. */
  moved: Place[]
}

/** Runs within the caller's transaction. */
export async function editSegment(store: IndexStore, edit: SegmentEdit): Promise<void> {
  const { segment } = edit
  const members = await store.members.get(segment)
  const ids = members?.ids.split('\n') ?? []
  const orders = members?.orders ?? []
  for (const position of edit.strip) ids[position] = ''
  for (const { position, _id, orderedAt } of [...edit.put, ...edit.moved]) {
    ids[position] = _id
    orders[position] = orderedAt
  }
  await editPostings(store, edit)
  const head = describeSegment(segment, ids, orders)
  if (head) {
    await store.heads.put(head)
    await store.members.put({ segment, ids: ids.join('\n'), orders })
  } else {
    await store.heads.delete(segment)
    await store.members.delete(segment)
  }
  await store.places.bulkDelete(edit.dropped)
  await store.places.bulkPut([
    ...edit.moved,
    ...edit.put.map(({ peerId: _peerId, terms: _terms, ...place }) => place),
  ])
}

async function editPostings(store: IndexStore, edit: SegmentEdit): Promise<void> {
  const { segment, strip, put } = edit
  const added = new Map<number, [term: string, position: number][]>()
  const add = (bucket: number, term: string, position: number) => {
    const list = added.get(bucket)
    if (list) list.push([term, position])
    else added.set(bucket, [[term, position]])
  }
  for (const { terms, peerId, position } of put) {
    add(peerBucket, peerId, position)
    for (const term of terms) add(bucketOf(term), term, position)
  }
  const buckets = strip.length > 0 ? allBuckets : [...added.keys()]
  const rows = await store.postings.bulkGet(
    buckets.map((bucket): [number, number] => [bucket, segment]),
  )
  const kept: { bucket: number; segment: number; lines: string }[] = []
  const emptied: [number, number][] = []
  buckets.forEach((bucket, index) => {
    const before = rows[index]?.lines ?? ''
    const postings: Postings = decodeLines(before)
    if (strip.length > 0) stripPositions(postings, strip)
    for (const [term, position] of added.get(bucket) ?? []) addPosting(postings, term, position)
    const lines = encodeLines(postings)
    if (lines === before) return
    if (lines === '') emptied.push([bucket, segment])
    else kept.push({ bucket, segment, lines })
  })
  await store.postings.bulkPut(kept)
  await store.postings.bulkDelete(emptied)
}

const allBuckets = Array.from({ length: peerBucket + 1 }, (_, bucket) => bucket)

/** Undefined for an empty segment. */
function describeSegment(
  segment: number,
  ids: readonly string[],
  orders: readonly number[],
): SegmentHead | undefined {
  let newest = Number.NEGATIVE_INFINITY
  let oldest = Number.POSITIVE_INFINITY
  ids.forEach((id, position) => {
    const order = orders[position]
    if (id === '' || order === undefined) return
    newest = Math.max(newest, order)
    oldest = Math.min(oldest, order)
  })
  return newest < oldest ? undefined : { segment, size: ids.length, newest, oldest }
}
