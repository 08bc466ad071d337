import { addSilence, type Silence } from '../../../schema/peer-marks.ts'

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
