import type { ConversationDocument } from '../../../schema/conversation.ts'
import { raisePeerMarks, type Silence } from '../../../schema/peer-marks.ts'
import type { MarkRise } from '../proposals/decide-conversations.ts'
import type { SilencesDocument } from './peer-silences.ts'

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
