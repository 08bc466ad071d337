import * as z from 'zod/mini'
import { must } from './helpers/assertions.ts'
import {
  epochMs,
  isAccepted,
  isIncoming,
  type MessageDocument,
  type MessageStatus,
  statusRank,
} from './message.ts'

export const receiptStatuses = ['delivered', 'read'] as const
export type ReceiptStatus = (typeof receiptStatuses)[number]

const receiptStatus = z.enum(receiptStatuses)

/** The mark of `status` reached `upTo` (an `orderedAt`) at `at`. */
const markEntry = z.object({ status: receiptStatus, upTo: epochMs, at: epochMs })
export type MarkEntry = z.infer<typeof markEntry>

/** The mark of `status` says nothing about messages with `after < orderedAt <= upTo`. */
const silence = z.object({ status: receiptStatus, after: epochMs, upTo: epochMs })
export type Silence = z.infer<typeof silence>

/**
 * How far the other person has received and read the owner's messages; only the server writes it. A
 * receipt is a mark: it implies the status of every message below, so no copy is rewritten.
 * `peerSilences`: messages that never arrived or whose reading stays hidden because of a block.
 */
export const peerMarkFields = {
  peerDeliveredUpTo: z._default(epochMs, 0),
  peerReadUpTo: z._default(epochMs, 0),
  peerMarks: z._default(z.array(markEntry), []),
  peerSilences: z._default(z.array(silence), []),
}

export interface PeerMarks {
  peerDeliveredUpTo: number
  peerReadUpTo: number
  peerMarks: MarkEntry[]
  peerSilences: Silence[]
}

/** How many times of each kind are kept, newest first. */
const markEntriesKept = 20
/** How many of each kind are kept; beyond that the nearest become one. */
const silencesKept = 100

/** The marks in a conversation; one stored by an earlier version has none. */
function readMarks(marks: Partial<PeerMarks> | undefined): PeerMarks {
  return {
    peerDeliveredUpTo: marks?.peerDeliveredUpTo ?? 0,
    peerReadUpTo: marks?.peerReadUpTo ?? 0,
    peerMarks: marks?.peerMarks ?? [],
    peerSilences: marks?.peerSilences ?? [],
  }
}

/** Merges two versions (P5): each part is a maximum, or a union under a total order. */
export function mergePeerMarks(one: Partial<PeerMarks>, other: Partial<PeerMarks>): PeerMarks {
  const [a, b] = [readMarks(one), readMarks(other)]
  const peerReadUpTo = Math.max(a.peerReadUpTo, b.peerReadUpTo)
  return {
    // A read message has also arrived.
    peerDeliveredUpTo: Math.max(a.peerDeliveredUpTo, b.peerDeliveredUpTo, peerReadUpTo),
    peerReadUpTo,
    // Most changes of a conversation raise the owner's marks alone, with forty entries of the other's.
    peerMarks:
      a.peerMarks === b.peerMarks ? a.peerMarks : uniteEntries([...a.peerMarks, ...b.peerMarks]),
    peerSilences:
      a.peerSilences === b.peerSilences
        ? a.peerSilences
        : uniteSilences([...a.peerSilences, ...b.peerSilences]),
  }
}

/** Raises the marks to those in the other person's conversation. @param at when, epoch ms */
export function raisePeerMarks<Marks extends Partial<PeerMarks>>(
  marks: Marks,
  raise: { deliveredUpTo: number; readUpTo: number; at: number; silences: readonly Silence[] },
): Marks {
  const { at, silences } = raise
  const before = readMarks(marks)
  const readUpTo = Math.max(before.peerReadUpTo, raise.readUpTo)
  const deliveredUpTo = Math.max(before.peerDeliveredUpTo, raise.deliveredUpTo, readUpTo)
  const entries: MarkEntry[] = []
  if (deliveredUpTo > before.peerDeliveredUpTo) {
    entries.push({ status: 'delivered', upTo: deliveredUpTo, at })
  }
  if (readUpTo > before.peerReadUpTo) entries.push({ status: 'read', upTo: readUpTo, at })
  if (entries.length === 0) return marks
  const news = { peerDeliveredUpTo: deliveredUpTo, peerReadUpTo: readUpTo, peerMarks: entries }
  const raised = mergePeerMarks(marks, { ...news, peerSilences: [...silences] })
  return { ...marks, ...raised, peerSilences: boundSilences(raised.peerSilences) }
}

/**
 * The stored marks plus what the owner's device claims the server once said, for places up to
 * `upTo`: after a restore only that device knows. A false claim shows wrong ticks to its owner
 * only.
 */
export function claimPeerMarks(
  marks: { stored: PeerMarks; claimed: PeerMarks },
  upTo: number,
): PeerMarks {
  const { stored, claimed } = marks
  const furthest = Math.max(claimed.peerDeliveredUpTo, claimed.peerReadUpTo)
  if (furthest === 0 || furthest > upTo) return stored
  const room = Math.max(0, silencesKept - readMarks(stored).peerSilences.length)
  const peerSilences = claimed.peerSilences.slice(0, room)
  return mergePeerMarks(stored, { ...claimed, peerSilences })
}

type Told = Pick<MessageDocument, 'status' | 'orderedAt' | 'isWhatsApp' | 'senderId'>

/** A message's status for its copy's owner: from the copy, or from the marks where they say more. */
export function deriveStatus(
  message: Told,
  marks: Partial<PeerMarks> | undefined,
  ownerId: string,
): MessageStatus {
  if (isIncoming(message, ownerId)) return message.status
  return highestReceipt(message, readMarks(marks)) ?? message.status
}

/**
 * The times at which a message reached each status, oldest first.
 * @returns entries like those of `statusHistory`
 */
export function deriveStatusHistory(
  message: Told & Pick<MessageDocument, 'statusHistory'>,
  marked: Partial<PeerMarks> | undefined,
  ownerId: string,
): { status: MessageStatus; timestamp: number }[] {
  const { statusHistory, orderedAt } = message
  if (isIncoming(message, ownerId)) return [...statusHistory].sort(byTime)
  const marks = readMarks(marked)
  const known = new Set(statusHistory.map(({ status }) => status))
  const derived = receiptStatuses.flatMap((status) => {
    if (known.has(status) || !isCovered(message, marks, status)) return []
    const reached = marks.peerMarks.filter((one) => one.status === status && one.upTo >= orderedAt)
    const [first] = reached.sort((a, b) => a.at - b.at)
    return first ? [{ status, timestamp: first.at }] : []
  })
  return [...statusHistory, ...derived].sort(byTime)
}

const byTime = (a: { timestamp: number }, b: { timestamp: number }) => a.timestamp - b.timestamp

function highestReceipt(message: Told, marks: PeerMarks): ReceiptStatus | undefined {
  const covered = receiptStatuses.findLast((status) => isCovered(message, marks, status))
  if (covered === undefined) return undefined
  return statusRank({ ...message, status: covered }) > statusRank(message) ? covered : undefined
}

function isCovered(message: Told, marks: PeerMarks, status: ReceiptStatus): boolean {
  const { orderedAt, isWhatsApp } = message
  if (isWhatsApp === true || !isAccepted(message)) return false
  const upTo = status === 'read' ? marks.peerReadUpTo : marks.peerDeliveredUpTo
  return (
    orderedAt <= upTo &&
    !marks.peerSilences.some(
      (one) => one.status === status && orderedAt > one.after && orderedAt <= one.upTo,
    )
  )
}

/** For equal places the earlier time; of each kind the newest places. */
function uniteEntries(entries: readonly MarkEntry[]): MarkEntry[] {
  return receiptStatuses.flatMap((status) =>
    entries
      .filter((entry) => entry.status === status)
      .sort((a, b) => b.upTo - a.upTo || a.at - b.at)
      .filter(({ upTo }, index, own) => upTo !== own[index - 1]?.upTo)
      .slice(0, markEntriesKept),
  )
}

function uniteSilences(silences: readonly Silence[]): Silence[] {
  const byRange = new Map(silences.map((one) => [`${one.status} ${one.after} ${one.upTo}`, one]))
  return [...byRange.values()].sort(
    (a, b) => a.upTo - b.upTo || a.after - b.after || (a.status < b.status ? -1 : 1),
  )
}

/** Adds a silence to a bounded list. */
export function addSilence(silences: readonly Silence[], added: Silence): Silence[] {
  return boundSilences(uniteSilences([...silences, added]))
}

/** No part of the merge, whose result would then depend on the order (P5). */
function boundSilences(united: Silence[]): Silence[] {
  if (united.length <= silencesKept) return united
  return uniteSilences(
    receiptStatuses.flatMap((status) => joinNearest(united.filter((one) => one.status === status))),
  )
}

/**
 * A joined silence includes the messages between two, whose receipts fall back: so it joins those
 * with the least time between them, of equal ones the oldest.
 */
function joinNearest(sorted: readonly Silence[]): Silence[] {
  const joined = [...sorted]
  while (joined.length > silencesKept) {
    const gaps = joined
      .slice(1)
      .map(({ after }, index) => after - must(joined[index], 'a silence').upTo)
    const at = gaps.indexOf(Math.min(...gaps))
    const [one, next] = [must(joined[at], 'a silence'), must(joined[at + 1], 'a silence')]
    joined.splice(at, 2, { ...next, after: Math.min(one.after, next.after) })
  }
  return joined
}
