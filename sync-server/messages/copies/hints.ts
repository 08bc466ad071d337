import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Storage } from '../../storage/storage.ts'

/** A message whose copies may differ; `deletedAt`: its author took it back, and the reader may still have it. */
export interface MessageHint {
  authorId: string
  readerId: string
  messageId: string
  deletedAt?: number | undefined
}

/** Receipts that have yet to reach the author's conversation: the reader's marks, and where they stood before. */
export interface ReceiptsHint {
  readerId: string
  authorId: string
  deliveredUpTo: number
  readUpTo: number
}

type HintedWork = ({ kind: 'message' } & MessageHint) | ({ kind: 'receipts' } & ReceiptsHint)
/** `note` is another one each time, so that what is hinted while a hint is replayed is not taken for done. */
export type Hint = HintedWork & { _id: string; note: string }

/** Where hints lie; the name is older than the word. */
export const hintsDatabase = 'debts'

/**
 * What is still to be done in the databases of people whose databases could not be used when it was due (hinted
 * handoff). A hint is stored before the write that it belongs to is acknowledged, and stays until the healer has
 * replayed it. Where storage is atomic none is needed.
 * @param onAdded told that there is something to do
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

    /** Says that there is something to do: hints were stored by a transaction. */
    announce: onAdded,

    /** The first hints, or those behind an id, in the order of their ids. */
    async list(page: { after: string | undefined; limit: number }): Promise<Hint[]> {
      const { after, limit } = page
      const behind = after === undefined ? {} : { startkey: `${after}\uffff` }
      const found = await database.range({ ...behind, limit })
      return found.map(({ _rev, ...hint }) => hint as Hint)
    },

    /** What an author has yet to be told of a reader's receipts. */
    async findReceipts(authorId: string, readerId: string) {
      const _id = receiptsKey({ authorId, readerId })
      const hint = (await database.read([_id])).get(_id)
      if (hint?.kind !== 'receipts') return undefined
      const { _rev, ...body } = hint
      return body
    },

    /** Removes hints that were replayed; what was added again meanwhile stays. */
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

/** A hint as a transaction stores it before the first copy, under an id that no other has. */
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
