import { isUploadOwed, type MessageDocument } from '../../../schema/message.ts'
import { type MessageCollection, subscribeToChanges } from '../../database/storage/collections.ts'
import {
  fromStoredMessage,
  listTally,
  pendingTally,
} from '../../database/storage/stored-message.ts'

export type PushOrder = ReturnType<typeof createPushOrder>

type Place = Pick<MessageDocument, 'peerId' | 'orderedAt'>

/** After so many passes that left the earlier one out, late is better than never (P6). */
const passesMost = 10

/**
 * Keeps new messages of a conversation in the order in which they were written: one leaves only in
 * a push that offers all earlier ones first. RxDB pushes what was just written by itself, ahead of
 * what an earlier push left out, what lies before its checkpoint, and what was set aside. Files on
 * their way are the matter of `push-hold.ts`.
 */
export function createPushOrder(options: {
  messages: MessageCollection
  /** Which of these messages the server lacks, and can be sent. Reads what is stored (P11). */
  listOwed: (ids: readonly string[]) => Promise<ReadonlySet<string>>
  /** Others wait behind these: all have to be offered together. */
  onBehind: (ids: ReadonlySet<string>) => void
}) {
  const { messages, listOwed, onBehind } = options
  /** New messages of this device that are not known to be on the server. */
  const waiting = new Map<string, Place>()
  /** Left out of their push, and how often. */
  const held = new Map<string, number>()
  const answered = new Set<string>()
  /** When each was refused last, in turns. */
  const refusedAt = new Map<string, number>()
  let turns = 0
  let reading: Promise<void> | undefined

  function record(message: MessageDocument) {
    const { _id, peerId, orderedAt } = message
    if (isLeaving(message) && !isUploadOwed(message)) waiting.set(_id, { peerId, orderedAt })
    else waiting.delete(_id)
  }

  const unsubscribe = subscribeToChanges(messages, ({ documents }) => {
    for (const document of documents) record(fromStoredMessage(document))
  })

  async function read() {
    const stored = await listTally(messages, pendingTally)
    for (const message of stored) if (!waiting.has(message._id)) record(fromStoredMessage(message))
  }

  function ready(): Promise<void> {
    reading ??= read()
    reading.catch(() => {
      reading = undefined
    })
    return reading
  }

  /** The earlier ones that stay behind, while one of these would leave. */
  async function findLeftBehind(
    leaving: ReadonlyMap<string, MessageDocument>,
    begunAt: number,
  ): Promise<Map<string, Place>> {
    const newest = new Map<string, number>()
    for (const { peerId, orderedAt } of leaving.values()) {
      newest.set(peerId, Math.max(orderedAt, newest.get(peerId) ?? 0))
    }
    const earlier = [...waiting].filter(
      ([id, { peerId, orderedAt }]) =>
        orderedAt < (newest.get(peerId) ?? 0) &&
        !leaving.has(id) &&
        !answered.has(id) &&
        // Offered and refused since this push began: it is not passed over.
        (refusedAt.get(id) ?? 0) < begunAt,
    )
    if (earlier.length === 0) return new Map()
    const owed = await listOwed(earlier.map(([id]) => id))
    return new Map(earlier.filter(([id]) => owed.has(id)))
  }

  return {
    /** A push begins. @returns its turn */
    begin(): number {
      turns += 1
      return turns
    },
    /**
     * Those that may leave now, in their order. The others stay owed.
     * @param isOffered is it offered, and not only part of the push?
     */
    async takeFree<T extends { _id: string }>(
      documents: readonly T[],
      { begunAt, isOffered }: { begunAt: number; isOffered: (document: T) => boolean },
    ): Promise<T[]> {
      await ready()
      const own = documents.map((document) => {
        const message = document as unknown as MessageDocument
        return { document, message, leaves: isLeaving(message) && isOffered(document) }
      })
      own.sort((a, b) => a.message.orderedAt - b.message.orderedAt)
      const leaving = new Map(
        own.flatMap(({ message, leaves }) => (leaves ? [[message._id, message]] : [])),
      )
      const behind = await findLeftBehind(leaving, begunAt)
      const first = new Map<string, number>()
      for (const { peerId, orderedAt } of behind.values()) {
        first.set(peerId, Math.min(orderedAt, first.get(peerId) ?? orderedAt))
      }
      const free = own.filter(({ message: { _id, peerId, orderedAt }, leaves }) => {
        const isFree = !leaves || orderedAt < (first.get(peerId) ?? Number.POSITIVE_INFINITY)
        const passes = isFree ? passesMost : (held.get(_id) ?? 0) + 1
        if (passes < passesMost) held.set(_id, passes)
        else held.delete(_id)
        return passes >= passesMost
      })
      for (const { message } of free) answered.delete(message._id)
      if (free.length < own.length) onBehind(new Set(behind.keys()))
      return free.map(({ document }) => document)
    },
    /** Was it left out last time? Then the server lacks it, whatever RxDB believes. */
    has: (id: string) => held.has(id),
    /** The server has it, or holds something else under its id; or it leaves at no time. */
    recordAnswered(id: string) {
      answered.add(id)
      held.delete(id)
    },
    recordRefused(id: string) {
      turns += 1
      refusedAt.set(id, turns)
    },
    close: unsubscribe,
  }
}

/** A new message, or another attempt with one that was refused. */
function isLeaving({ status, deletedAt }: MessageDocument): boolean {
  return status === 'sending' && deletedAt === undefined
}
