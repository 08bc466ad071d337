import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Storage } from '../../storage/storage.ts'

/**
 * A message whose copies may differ; `deletedAt`: its author deleted it, and the reader may still
 * have it.
 */
export interface MessageHint {
  authorId: string
  readerId: string
  messageId: string
  deletedAt?: number | undefined
}

/** Receipts not yet in the author's conversation: the reader's marks, and their values before. */
export interface ReceiptsHint {
  readerId: string
  authorId: string
  deliveredUpTo: number
  readUpTo: number
}

type HintedWork = ({ kind: 'message' } & MessageHint) | ({ kind: 'receipts' } & ReceiptsHint)
/** `note` is unique, so that a hint that changes during its replay is not removed as done. */
export type Hint = HintedWork & { _id: string; note: string }

/** The database of hints; its name predates the term. */
export const hintsDatabase = 'debts'

/**
 * Work left for databases that were unavailable when it was due (hinted handoff). Stored before the
 * write it belongs to is acknowledged, and kept until the healer replays it. Atomic storage needs
 * none.
 * @param onAdded called when there is work
 */
export function createHints(options: { storage: Storage; onAdded: () => void }) {
  const { storage, onAdded } = options
  const database = storage.database<Hint>(hintsDatabase)

  async function add(work: readonly HintedWork[]) {
    if (work.length === 0) return
    const keyed = work.map((one) => ({ _id: hintKey(one), one }))
    await database.update(
      keyed.map(({ _id }) => _id),
      (stored) => {
        const hints = new Map(stored)
        for (const { _id, one } of keyed) hints.set(_id, addTo(hints.get(_id), { ...one, _id }))
        return { put: [...hints.values()], result: undefined }
      },
    )
    onAdded()
  }

  return {
    addMessages: (messages: readonly MessageHint[]) =>
      add(messages.map((message) => ({ ...message, kind: 'message' }))),
    addReceipts: (receipts: ReceiptsHint) => add([{ ...receipts, kind: 'receipts' }]),

    /** Announces hints that a transaction stored. */
    announce: onAdded,

    /** The first hints, or those after an id, in id order. */
    async list(page: { after: string | undefined; limit: number }): Promise<Hint[]> {
      const { after, limit } = page
      const behind = after === undefined ? {} : { startkey: `${after}\uffff` }
      const found = await database.range({ ...behind, limit })
      return found.map(({ _rev, ...hint }) => hint as Hint)
    },

    /** The reader's receipts that an author has not received yet. */
    async findReceipts(authorId: string, readerId: string) {
      const _id = receiptsKey({ authorId, readerId })
      const hint = (await database.read([_id])).get(_id)
      if (hint?.kind !== 'receipts') return undefined
      const { _rev, ...body } = hint
      return body
    },

    /** Removes replayed hints; keeps those added again meanwhile. */
    async remove(replayed: readonly Hint[]) {
      if (replayed.length === 0) return
      await database.update(
        replayed.map(({ _id }) => _id),
        (stored) => {
          const same = replayed.filter((hint) => isDeepStrictEqual(stored.get(hint._id), hint))
          return { put: same.map((hint) => ({ ...hint, _deleted: true })), result: undefined }
        },
      )
    },
  }
}

export type Hints = ReturnType<typeof createHints>

/** A hint as a transaction stores it before the first copy, under a unique id. */
export function toMessageHint(message: MessageHint): Hint {
  const work = { ...message, kind: 'message' as const }
  const note = randomUUID()
  return { ...work, _id: `${hintKey(work)}~${note}`, note }
}

function hintKey(work: HintedWork): string {
  if (work.kind === 'receipts') return receiptsKey(work)
  return `message~${work.authorId}~${work.readerId}~${work.messageId}`
}

function receiptsKey({ authorId, readerId }: Pick<ReceiptsHint, 'authorId' | 'readerId'>): string {
  return `receipts~${authorId}~${readerId}`
}

function addTo(before: Hint | undefined, work: HintedWork & { _id: string }): Hint {
  const note = randomUUID()
  if (work.kind === 'receipts' && before?.kind === 'receipts') {
    const deliveredUpTo = Math.max(before.deliveredUpTo, work.deliveredUpTo)
    const readUpTo = Math.max(before.readUpTo, work.readUpTo)
    return { ...work, deliveredUpTo, readUpTo, note }
  }
  return { ...before, ...work, note }
}
