import type { Relations } from '../access/create-relations.ts'
import type { Storage } from '../storage/create-storage.ts'
import type { Debt, Debts, MessageDebt } from './create-debts.ts'
import type { OrderJournal } from './create-order-journal.ts'
import { giveReceipts } from './give-receipts.ts'
import { healMessages } from './heal-messages.ts'
import type { MessageFiles } from './share-files.ts'
import { takeBackWords } from './take-back-words.ts'

const debtsAtOnce = 500

interface Creditors {
  storage: Storage
  files: MessageFiles
  journal: OrderJournal
  relations: Pick<Relations, 'canReach'>
  now: () => number
  onError: (error: unknown) => void
}

/**
 * Does what was left to do for people whose databases could not be used then. What fails again is left for later, and
 * holds up nothing else.
 * @param isBeingWritten messages that are left alone: more about them may be noted at any moment
 * @returns how many own copies were made good, and how many debts are left
 */
export async function payDebts(
  options: Creditors & { debts: Debts; isBeingWritten: (debt: MessageDebt) => boolean },
): Promise<{ healed: number; left: number }> {
  const { debts, isBeingWritten, onError } = options
  const sum = { healed: 0, left: 0 }
  for (let after: string | undefined; ; ) {
    const page = await debts.list({ after, limit: debtsAtOnce })
    for (const group of groupByPair(page)) {
      const due = group.filter((debt) => debt.kind === 'receipts' || !isBeingWritten(debt))
      sum.left += group.length - due.length
      try {
        sum.healed += await payPair(options, due)
        await debts.strike(due)
      } catch (error) {
        onError(error)
        sum.left += due.length
      }
    }
    const last = page.at(-1)
    if (!last || page.length < debtsAtOnce) return sum
    after = last._id
  }
}

/** Pays debts of one author and one reader. The databases of somebody who left must not come to be again. */
async function payPair(creditors: Creditors, due: readonly Debt[]): Promise<number> {
  const { storage, files, relations, now } = creditors
  const [first] = due
  if (!first) return 0
  const pair = { authorId: first.authorId, readerId: first.readerId }
  const isReaderHere = (await relations.canReach(pair.authorId, pair.readerId)) !== 'unknown_person'
  const isAuthorHere = (await relations.canReach(pair.readerId, pair.authorId)) !== 'unknown_person'
  if (!isReaderHere) return 0
  const messages = due.flatMap((debt) => (debt.kind === 'message' ? [debt] : []))
  const deletions = new Map(
    messages.flatMap(({ messageId, deletedAt }) =>
      deletedAt === undefined ? [] : [[messageId, deletedAt] as const],
    ),
  )
  await takeBackWords({ storage, files, ...pair, deletions })
  if (!isAuthorHere) return 0
  for (const debt of due) {
    if (debt.kind !== 'receipts') continue
    await giveReceipts({ ...creditors, rise: debt, handled: new Set(), now: now() })
  }
  if (messages.length === 0) return 0
  return (await healMessages({ storage, files, ...pair, messages, now: now() })).healed
}

function groupByPair(page: readonly Debt[]): Iterable<Debt[]> {
  const pairs = new Map<string, Debt[]>()
  for (const debt of page) {
    const key = `${debt.authorId} ${debt.readerId}`
    pairs.set(key, [...(pairs.get(key) ?? []), debt])
  }
  return pairs.values()
}
