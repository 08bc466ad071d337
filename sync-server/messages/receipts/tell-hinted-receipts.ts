import type { ConversationDocument } from '../../../schema/conversation.ts'
import type { Relations } from '../../access/relations.ts'
import { nameConversationsDatabase } from '../../storage/databases/database-names.ts'
import type { Storage } from '../../storage/storage.ts'
import type { ReceiptsHint } from '../copies/hints.ts'
import { ordersDatabase } from '../order/order-journal.ts'
import type { MessagePrivacy } from '../privacy/message-privacy.ts'
import { type SilencesDocument, silencesKey } from './peer-silences.ts'
import { tellMarks } from './tell-marks.ts'

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
