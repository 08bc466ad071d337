import { createLiveValue, type LiveValue } from '../views/live-value.ts'
import { createRefresher } from '../views/refresher.ts'
import { bucketOf, listTerms, peerBucket } from './index-terms.ts'
import type { MessageSource, SearchableMessage } from './message-source.ts'
import {
  type IndexState,
  type IndexStore,
  type IndexStoreOptions,
  openIndexStore,
  type Place,
  type SegmentHead,
} from './open-index-store.ts'
import {
  addPosting,
  decodeLines,
  encodeLines,
  type Postings,
  scanLines,
  segmentSize,
  stripPositions,
} from './posting-lines.ts'
import { type FoundPage, type SearchRequest, searchMessages } from './search-messages.ts'
import { yieldToScreen as yieldWhenIdle } from './yield-to-screen.ts'

/** A page stays well under a frame between two clock checks. */
const workMaxMs = 5

/** Larger writes would hold up searches, which wait for them. */
const segmentsPerWrite = 8

/** How many segments' edits memory holds together. */
const segmentsPerSweep = 8

/** Reading and writing this many takes part of each of a few frames. */
const sliceSize = 250

const allBuckets = Array.from({ length: peerBucket + 1 }, (_, bucket) => bucket)

/**
 * `share`: the searchable part of the device's messages, 0–1. `generation`: grows with each change that it takes in, after
 * which the same search may find something else.
 */
export type IndexProgress =
  | { state: 'building'; share: number }
  | { state: 'ready'; generation: number }
  | { state: 'failed'; error: unknown }

export interface SearchPage<Message> extends FoundPage<Message> {
  /** False while the index is behind the device's messages. */
  isComplete: boolean
}

export interface SearchIndex<Message> {
  search(request: SearchRequest): Promise<SearchPage<Message>>
  progress: LiveValue<IndexProgress>
  /**
   * Resolves when everything stored by now is searchable. Rejects when the index cannot be
   * maintained.
   */
  catchUp(): Promise<void>
  close(): Promise<void>
  /** Closes the index and deletes it from the device. */
  destroy(): Promise<void>
}

export interface SearchIndexOptions<Message extends SearchableMessage> extends IndexStoreOptions {
  messages: MessageSource<Message>
  /** Called between slices of work; the next begins when it resolves. */
  yieldToScreen?: () => Promise<void>
}

/**
 * Offline search over all messages of the device. The index is a separate database that follows the
 * messages in the background and keeps nothing in memory. Several tabs may maintain it together.
 * After a failure, reported by `progress`, the next change of a message retries.
 *
 * Measured by `npm run bench search` in Chromium with 100,000 messages, on two busy cores (medians
 * of the first page of 50): 5–8 ms for one to three letters, 8 ms for a rare word, 12 ms for two
 * words; built in 36 s in the background; 0.7 MB of memory and 10 to 22 MB of disk.
 *
 * @throws when IndexedDB is unavailable
 */
export async function createSearchIndex<Message extends SearchableMessage>(
  options: SearchIndexOptions<Message>,
): Promise<SearchIndex<Message>> {
  const { messages: source, yieldToScreen = yieldWhenIdle } = options
  const store = await openIndexStore(options)
  const progress = createLiveValue<IndexProgress>({ state: 'building', share: 0 })
  const closing = new AbortController()
  const refresher = createRefresher({
    run: follow,
    onError: (error) => progress.set({ state: 'failed', error }),
  })

  async function follow(): Promise<void> {
    // Counting reads a whole index, so it happens once, and only when there is a large backlog.
    let total: number | undefined
    while (!closing.signal.aborted) {
      const scanned = await indexSlice({ store, source, yieldToScreen })
      if (scanned === 'done') {
        const { generation } = await readState(store)
        const now = progress.getSnapshot()
        if (now.state !== 'ready' || now.generation !== generation) {
          progress.set({ state: 'ready', generation })
        }
        return
      }
      if (scanned !== 'swept') {
        total ??= await source.countMessages()
        progress.set({ state: 'building', share: Math.min(1, scanned / total) })
      }
      await yieldToScreen()
    }
  }

  const unsubscribe = source.subscribe(() => void refresher.refresh())
  void refresher.refresh()

  async function close(): Promise<void> {
    closing.abort()
    unsubscribe()
    // Lets the current slice finish.
    const settled = refresher.refresh()
    refresher.close()
    await settled
    store.close()
  }

  return {
    progress,
    close,
    async catchUp() {
      await refresher.refresh()
      const now = progress.getSnapshot()
      if (now.state === 'failed') {
        throw new Error('The search index could not follow the messages.', { cause: now.error })
      }
    },
    async search(request) {
      const isComplete = progress.getSnapshot().state === 'ready'
      return { ...(await searchMessages({ store, source }, request)), isComplete }
    },
    async destroy() {
      await close()
      await store.delete()
    },
  }
}

interface SliceOptions {
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
async function indexSlice(options: SliceOptions): Promise<number | 'swept' | 'done'> {
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

interface PlanOptions {
  store: IndexStore
  messages: readonly SearchableMessage[]
  /** Each conversation's cleared mark. */
  clearedMarks: ReadonlyMap<string, number>
  yieldToScreen(): Promise<void>
}

/** The index changes for these messages. Most message changes are ticks, which change nothing. */
async function planEdits(options: PlanOptions): Promise<SegmentEdit[]> {
  const { store, clearedMarks } = options
  // Of repeated messages the last one counts.
  const messages = [...new Map(options.messages.map((message) => [message._id, message])).values()]
  const places = await store.places.bulkGet(messages.map((message) => message._id))
  const edits = createEdits()
  const termsOf = createTermLister(options.yieldToScreen)
  const added: Omit<PlacedMessage, 'segment' | 'position'>[] = []
  for (const [index, message] of messages.entries()) {
    const { _id, peerId, orderedAt } = message
    const place = places[index]
    const isHidden = message.content === '' || orderedAt <= (clearedMarks.get(peerId) ?? 0)
    if (isHidden) {
      if (place) edits.drop(place)
      continue
    }
    const print = printText(message.content)
    if (!place) added.push({ _id, orderedAt, print, peerId, terms: await termsOf(message.content) })
    else if (place.print !== print) {
      edits.of(place.segment).strip.push(place.position)
      const terms = await termsOf(message.content)
      edits.of(place.segment).put.push({ ...place, orderedAt, print, peerId, terms })
    } else if (place.orderedAt !== orderedAt) {
      edits.of(place.segment).moved.push({ ...place, orderedAt })
    }
  }
  if (added.length > 0) {
    const last = await store.heads.orderBy('segment').last()
    let segment = last?.segment ?? 0
    let position = last?.size ?? 0
    for (const message of added) {
      if (position >= segmentSize) {
        segment += 1
        position = 0
      }
      edits.of(segment).put.push({ ...message, segment, position })
      position += 1
    }
  }
  return edits.list()
}

function createTermLister(yieldToScreen: () => Promise<void>) {
  let began = performance.now()
  return async (text: string) => {
    if (performance.now() - began > workMaxMs) {
      await yieldToScreen()
      began = performance.now()
    }
    return listTerms(text)
  }
}

/**
 * A 53-bit fingerprint, never 0: a collision between two texts of one message is as likely as a
 * broken disk. Mixes like MurmurHash3, in two lanes.
 */
function printText(text: string): number {
  let low = 0x9e3779b9
  let high = 0x85ebca6b
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    low = Math.imul(low ^ unit, 0xcc9e2d51)
    low ^= low >>> 15
    high = Math.imul(high ^ unit, 0x1b873593)
    high ^= high >>> 13
  }
  return (high >>> 11) * 0x1_0000_0000 + (low >>> 0) || 1
}

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

/** A message to index. */
interface PlacedMessage extends Place {
  peerId: string
  terms: ReadonlySet<string>
}

/** The changes in one segment. A changed text is removed and added again at its old position. */
interface SegmentEdit {
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
async function editSegment(store: IndexStore, edit: SegmentEdit): Promise<void> {
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
