import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Storage } from '../storage/create-storage.ts'
import type { Rise } from './give-receipts.ts'

/** A message that may lack something in a copy; `deletedAt`: its author took it back, and the reader may still have it. */
export interface MessageDebt {
  authorId: string
  readerId: string
  messageId: string
  deletedAt?: number
}

type Owed = ({ kind: 'message' } & MessageDebt) | ({ kind: 'receipts' } & Rise)
/** `note` is another one each time, so that what is noted while a debt is paid is not taken for paid. */
export type Debt = Owed & { _id: string; note: string }

/**
 * What is still to be done in the databases of people whose databases could not be used when it was due. It is noted
 * before the write that it belongs to is acknowledged, and stays until the healer has done it.
 * @param onNoted told that there is something to do
 */
export function createDebts(options: { storage: Storage; onNoted: () => void }) {
  const { storage, onNoted } = options
  const database = storage.database<Debt>('debts')

  async function note(owed: readonly Owed[]) {
    if (owed.length === 0) return
    const named = owed.map((one) => ({ _id: nameDebt(one), one }))
    await database.update(
      named.map(({ _id }) => _id),
      (stored) => {
        const noted = new Map(stored)
        for (const { _id, one } of named) noted.set(_id, addTo(noted.get(_id), { ...one, _id }))
        return { put: [...noted.values()], result: undefined }
      },
    )
    onNoted()
  }

  return {
    noteMessages: (messages: readonly MessageDebt[]) =>
      note(messages.map((message) => ({ ...message, kind: 'message' }))),
    noteReceipts: (rises: readonly Rise[]) =>
      note(rises.map((rise) => ({ ...rise, kind: 'receipts' }))),

    /** The first debts, or those behind an id, in the order of their ids. */
    async list(page: { after: string | undefined; limit: number }): Promise<Debt[]> {
      const { after, limit } = page
      const behind = after === undefined ? {} : { startkey: `${after}\uffff` }
      const found = await database.range({ ...behind, limit })
      return found.map(({ _rev, ...debt }) => debt as Debt)
    },

    /** Strikes out what is paid; what was noted anew meanwhile stays. */
    async strike(paid: readonly Debt[]) {
      if (paid.length === 0) return
      await database.update(
        paid.map(({ _id }) => _id),
        (stored) => {
          const same = paid.filter((debt) => isDeepStrictEqual(stored.get(debt._id), debt))
          return { put: same.map((debt) => ({ ...debt, _deleted: true })), result: undefined }
        },
      )
    },
  }
}

export type Debts = ReturnType<typeof createDebts>

function nameDebt(owed: Owed): string {
  const pair = `${owed.kind}~${owed.authorId}~${owed.readerId}`
  return owed.kind === 'message' ? `${pair}~${owed.messageId}` : pair
}

function addTo(before: Debt | undefined, owed: Owed & { _id: string }): Debt {
  const note = randomUUID()
  if (owed.kind === 'receipts' && before?.kind === 'receipts') {
    const after = Math.min(before.after, owed.after)
    const deliveredUpTo = Math.max(before.marks.deliveredUpTo, owed.marks.deliveredUpTo)
    const readUpTo = Math.max(before.marks.readUpTo, owed.marks.readUpTo)
    return { ...owed, after, marks: { deliveredUpTo, readUpTo }, note }
  }
  return { ...before, ...owed, note }
}
