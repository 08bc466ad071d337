import type { ConversationDocument } from '../../../schema/conversation.ts'
import { addSilence, raisePeerMarks, type Silence } from '../../../schema/peer-marks.ts'
import type { Relations } from '../../access/relations.ts'
import { nameConversationsDatabase } from '../../storage/documents/database-names.ts'
import type { Storage } from '../../storage/storage.ts'
import type { MarkRise } from '../proposals/decide-conversations.ts'
import type { MessagePrivacy } from '../proposals/proposal.ts'
import type { ReceiptsHint } from './hints.ts'
import { ordersDatabase } from './order-journal.ts'

/**
 * The author's conversation after a reader's marks rise.
 * @param silences the author's messages whose receipts this reader does not tell
 */
export function tellMarks(options: {
  stored: ConversationDocument
  rise: MarkRise
  silences: SilencesDocument | undefined
  at: number
  /** The author hears only that they arrived: neither mark nor silence tells of the reading. */
  isReadingHidden: boolean
}): ConversationDocument {
  const { stored, rise, at, isReadingHidden } = options
  const silences = [...(options.silences?.silences ?? []), ...listEarlier(stored, rise)]
  if (!isReadingHidden) return raisePeerMarks(stored, { ...rise.upTo, at, silences })
  return raisePeerMarks(stored, {
    at,
    readUpTo: 0,
    deliveredUpTo: Math.max(rise.upTo.deliveredUpTo, rise.upTo.readUpTo),
    silences: silences.filter(({ status }) => status === 'delivered'),
  })
}

/** The receipts to withhold during a block: everything newly covered by the marks. */
export function listUntold({ before, upTo }: MarkRise): Silence[] {
  const risen: Silence[] = [
    { status: 'delivered', after: before.deliveredUpTo, upTo: upTo.deliveredUpTo },
    { status: 'read', after: before.readUpTo, upTo: upTo.readUpTo },
  ]
  return risen.filter((one) => one.upTo > one.after)
}

/**
 * Earlier versions wrote receipts into copies, without marks: below the reader's position then, the
 * copies themselves tell.
 */
function listEarlier(stored: Partial<ConversationDocument>, { before }: MarkRise): Silence[] {
  // Stored documents are not parsed again, so a newer field may be missing.
  if (stored.peerDeliveredUpTo !== undefined) return []
  return listUntold({ before: { deliveredUpTo: 0, readUpTo: 0 }, upTo: before })
}

/**
 * Raises an author's marks to the reader's position. The reader may have read before the author's
 * conversation began, and a hint of that may have been replayed before, too.
 */
export async function tellStandingReceipts(options: {
  storage: Storage
  relations: Pick<Relations, 'canReach'>
  privacy: Pick<MessagePrivacy, 'hidesReading'>
  authorId: string
  readerId: string
  now: () => number
}): Promise<void> {
  const { storage, relations, privacy, authorId, readerId, now } = options
  if (authorId === readerId) return
  const name = nameConversationsDatabase(readerId)
  const read = await storage.database<ConversationDocument>(name).read([authorId])
  const { deliveredUpTo = 0, readUpTo = 0 } = read.get(authorId) ?? {}
  if (deliveredUpTo === 0 && readUpTo === 0) return
  const marks = { authorId, readerId, deliveredUpTo, readUpTo }
  await tellHintedReceipts({ storage, relations, privacy, marks, now })
}

/** Raises an author's marks to a reader's; not while either blocks the other. */
export async function tellHintedReceipts(options: {
  storage: Storage
  relations: Pick<Relations, 'canReach'>
  privacy: Pick<MessagePrivacy, 'hidesReading'>
  marks: ReceiptsHint
  now: () => number
}): Promise<void> {
  const { storage, relations, privacy, marks, now } = options
  const { authorId, readerId } = marks
  const reaches = await Promise.all([
    relations.canReach(authorId, readerId),
    relations.canReach(readerId, authorId),
  ])
  if (reaches.some((reach) => reach !== 'delivered')) return
  const isReadingHidden = await privacy.hidesReading(readerId, authorId)
  const silencesId = silencesKey(authorId, readerId)
  const silences = await storage.database<SilencesDocument>(ordersDatabase).read([silencesId])
  const name = nameConversationsDatabase(authorId)
  await storage.database<ConversationDocument>(name).update([readerId], (conversations) => {
    const stored = conversations.get(readerId)
    if (!stored) return { result: undefined }
    const { deliveredUpTo, readUpTo } = marks
    const rise = { before: { deliveredUpTo: 0, readUpTo: 0 }, upTo: { deliveredUpTo, readUpTo } }
    const raised = tellMarks({
      stored,
      rise,
      silences: silences.get(silencesId),
      at: now(),
      isReadingHidden,
    })
    return { put: [raised], result: undefined }
  })
}

/**
 * Messages whose receipts one person never gets from another, because of a block at the time, or of
 * receipts that were off; stored among the places. Reaches the author's conversation with the next
 * receipt of that kind: until then nobody learns from it that they are blocked, or were read.
 */
export interface SilencesDocument {
  _id: string
  silences: Silence[]
}

export function silencesKey(authorId: string, readerId: string): string {
  return `silences~${authorId}~${readerId}`
}

export function extendSilences(
  stored: SilencesDocument | undefined,
  { _id, added }: { _id: string; added: readonly Silence[] },
): SilencesDocument {
  return { _id, silences: added.reduce(extendLast, stored?.silences ?? []) }
}

/** Reading on from where the last one ended makes it longer, and the list no longer. */
function extendLast(silences: readonly Silence[], added: Silence): Silence[] {
  const last = silences.find(
    ({ status, upTo }) => status === added.status && upTo === added.after && upTo < added.upTo,
  )
  if (!last) return addSilence(silences, added)
  const rest = silences.filter((one) => one !== last)
  return addSilence(rest, { ...last, upTo: added.upTo })
}
