import type { PlacedMessage, SegmentEdit } from './edit-segment.ts'
import { createEdits } from './edits.ts'
import { listTerms } from './index-terms.ts'
import type { SearchableMessage } from './message-source.ts'
import type { IndexStore } from './open-index-store.ts'
import { segmentSize } from './posting-lines.ts'

/** A page stays well under a frame between two clock checks. */
const workMaxMs = 5

export interface PlanOptions {
  store: IndexStore
  messages: readonly SearchableMessage[]
  /** Each conversation's cleared mark. */
  clearedMarks: ReadonlyMap<string, number>
  yieldToScreen(): Promise<void>
}

/** The index changes for these messages. Most message changes are ticks, which change nothing. */
export async function planEdits(options: PlanOptions): Promise<SegmentEdit[]> {
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
