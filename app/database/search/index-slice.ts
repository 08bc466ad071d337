import { commitEdits } from './commit-edits.ts'
import type { SegmentEdit } from './edit-segment.ts'
import { createEdits } from './edits.ts'
import { peerBucket } from './index-terms.ts'
import type { MessageSource, SearchableMessage } from './message-source.ts'
import type { IndexState, IndexStore } from './open-index-store.ts'
import { planEdits } from './plan-edits.ts'
import { scanLines } from './posting-lines.ts'

/** How many segments' edits memory holds together. */
const segmentsPerSweep = 8

/** Reading and writing this many takes part of each of a few frames. */
const sliceSize = 250

export interface SliceOptions {
  store: IndexStore
  source: MessageSource<SearchableMessage>
  yieldToScreen(): Promise<void>
}

/**
 * Advances the index by one slice.
 *
 * @returns the number of messages read since the index began, `swept` when cleared ones left it, or
 * `done` when the index is current
 */
export async function indexSlice(options: SliceOptions): Promise<number | 'swept' | 'done'> {
  const { store, source, yieldToScreen } = options
  const begin = await readState(store)
  if (await sweepCleared(options, begin)) return 'swept'
  const { messages, next: checkpoint } = await source.readChanges(begin.checkpoint, sliceSize)
  if (messages.length === 0) {
    await source.settle()
    return 'done'
  }
  for (;;) {
    const state = await readState(store)
    const clearedMarks = await joinMarks(source, state)
    const edits = await planEdits({ store, messages, clearedMarks, yieldToScreen })
    const scanned = state.scanned + messages.length
    const next = { checkpoint, scanned }
    if (await commitEdits(store, { state, edits, next })) {
      if (messages.length === sliceSize) return scanned
      await source.settle()
      return 'done'
    }
    // Another tab wrote first: this slice must still be written, unless that tab did.
    await yieldToScreen()
  }
}

/** True when something was swept; there may be more to sweep. */
async function sweepCleared({ store, source }: SliceOptions, state: IndexState): Promise<boolean> {
  const marks = await joinMarks(source, state)
  const unswept = [...marks].filter(([peerId, upTo]) => upTo > (state.swept[peerId] ?? 0))
  if (unswept.length === 0) return false
  const edits = await planSweep(store, unswept)
  const next = edits.length === 0 ? { swept: Object.fromEntries(marks) } : {}
  await commitEdits(store, { state, edits, next })
  return true
}

/** A tab that has not seen a mark yet must not restore what another one swept. */
async function joinMarks(
  source: MessageSource<SearchableMessage>,
  state: IndexState,
): Promise<Map<string, number>> {
  const marks = new Map(Object.entries(state.swept))
  for (const [peerId, upTo] of await source.readClearedMarks()) {
    marks.set(peerId, Math.max(upTo, marks.get(peerId) ?? 0))
  }
  return marks
}

async function readState(store: IndexStore): Promise<IndexState> {
  const state = await store.state.get('state')
  if (!state) throw new Error('The search index was deleted while it was in use.')
  return state
}

/**
 * Removes the words of cleared messages from the index, some segments at a time.
 *
 * @returns the next edits; none when all these conversations are swept up to their marks
 */
async function planSweep(
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
