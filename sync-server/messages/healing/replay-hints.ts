import { groupBy } from '../../../schema/helpers/group-by.ts'
import type { Relations } from '../../access/relations.ts'
import type { Storage } from '../../storage/storage.ts'
import type { Hint, Hints, MessageHint } from '../copies/hints.ts'
import type { MessageFiles } from '../copies/message-files.ts'
import type { MessagePrivacy } from '../privacy/message-privacy.ts'
import { tellHintedReceipts } from '../receipts/tell-hinted-receipts.ts'
import { tellStandingReceipts } from '../receipts/tell-standing-receipts.ts'
import { healMessages } from './heal-messages.ts'
import { takeBackWords } from './take-back-words.ts'

const hintsAtOnce = 500

interface Surroundings {
  storage: Storage
  files: MessageFiles
  relations: Pick<Relations, 'canReach'>
  privacy: Pick<MessagePrivacy, 'hidesReading'>
  now: () => number
  onError: (error: unknown) => void
}

/**
 * Does the work left for databases that were unavailable. Leaves repeated failures for later,
 * blocking nothing else.
 * @param isBeingWritten messages to skip: their hints may still change
 * @returns how many own copies it repaired, and how many hints remain
 */
export async function replayHints(
  options: Surroundings & { hints: Hints; isBeingWritten: (hint: MessageHint) => boolean },
): Promise<{ healed: number; left: number }> {
  const { hints, isBeingWritten, onError } = options
  const sum = { healed: 0, left: 0 }
  for (let after: string | undefined; ; ) {
    const page = await hints.list({ after, limit: hintsAtOnce })
    const pairs = groupBy(page, ({ authorId, readerId }) => `${authorId} ${readerId}`)
    for (const group of pairs.values()) {
      const due = group.filter((hint) => hint.kind === 'receipts' || !isBeingWritten(hint))
      sum.left += group.length - due.length
      try {
        sum.healed += await replayPair(options, due)
        await hints.remove(due)
      } catch (error) {
        onError(error)
        sum.left += due.length
      }
    }
    const last = page.at(-1)
    if (!last || page.length < hintsAtOnce) return sum
    after = last._id
  }
}

/** Replays hints of one author and one reader. Must not recreate a departed person's databases. */
async function replayPair(surroundings: Surroundings, due: readonly Hint[]): Promise<number> {
  const { storage, files, relations, privacy, now } = surroundings
  const [first] = due
  if (!first) return 0
  const pair = { authorId: first.authorId, readerId: first.readerId }
  const [toReader, toAuthor] = await Promise.all([
    relations.canReach(pair.authorId, pair.readerId),
    relations.canReach(pair.readerId, pair.authorId),
  ])
  if (toReader === 'unknown_person') return 0
  const messages = due.flatMap((hint) => (hint.kind === 'message' ? [hint] : []))
  const deletions = new Map(
    messages.flatMap(({ messageId, deletedAt }) =>
      deletedAt === undefined ? [] : [[messageId, deletedAt] as const],
    ),
  )
  await takeBackWords({ storage, files, ...pair, deletions })
  if (toAuthor === 'unknown_person') return 0
  const unhealed = messages.map((message) => ({ ...message, isAmended: true }))
  const { healed } =
    messages.length > 0
      ? await healMessages({ storage, files, ...pair, messages: unhealed })
      : { healed: 0 }
  for (const hint of due) {
    if (hint.kind === 'receipts')
      await tellHintedReceipts({ storage, relations, privacy, marks: hint, now })
  }
  if (messages.length > 0) await tellStandingReceipts({ storage, relations, privacy, ...pair, now })
  return healed
}
