import type { ConversationDocument } from '../../../schema/conversation.ts'
import { raisePeerMarks, type Silence } from '../../../schema/peer-marks.ts'
import type { MarkRise } from '../proposals/decide-conversations.ts'
import type { SilencesDocument } from './peer-silences.ts'

/**
 * The author's conversation once a reader's marks have risen.
 * @param silences what is not told of the author's messages to this reader
 */
export function tellMarks(options: {
  stored: ConversationDocument
  rise: MarkRise
  silences: SilencesDocument | undefined
  at: number
}): ConversationDocument {
  const { stored, rise, at } = options
  const silences = [...(options.silences?.silences ?? []), ...listEarlier(stored, rise)]
  return raisePeerMarks(stored, { ...rise.upTo, at, silences })
}

/** What is not told while one of the two blocks the other: all that the marks have newly covered. */
export function listUntold({ before, upTo }: MarkRise): Silence[] {
  const risen: Silence[] = [
    { status: 'delivered', after: before.deliveredUpTo, upTo: upTo.deliveredUpTo },
    { status: 'read', after: before.readUpTo, upTo: upTo.readUpTo },
  ]
  return risen.filter((one) => one.upTo > one.after)
}

/**
 * Earlier versions wrote a receipt into each copy and knew no marks: what lies below where the reader stood then is told
 * by the copies themselves.
 */
function listEarlier(stored: Partial<ConversationDocument>, { before }: MarkRise): Silence[] {
  // What is stored is not parsed again, so a field that came later is missing in it.
  if (stored.peerDeliveredUpTo !== undefined) return []
  return listUntold({ before: { deliveredUpTo: 0, readUpTo: 0 }, upTo: before })
}
