import { addSilence, type Silence } from '../../../schema/peer-marks.ts'

/**
 * Messages whose receipts one person never gets from another, because of a block at the time;
 * stored among the places. Reaches the author's conversation with the next receipt: until then
 * nobody learns from it that they are blocked.
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
  return { _id, silences: added.reduce(addSilence, stored?.silences ?? []) }
}
