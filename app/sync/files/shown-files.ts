import type { LedgerEntry } from '../../database/files/file-ledger.ts'
import type { FiledMessage } from './filed-message.ts'

/** The files on this tab's screen, by message and by address. */
export function createShownFiles() {
  const holds = new Map<string, number>()
  const change = (keys: readonly string[], by: number) => {
    for (const key of keys) {
      const count = (holds.get(key) ?? 0) + by
      if (count > 0) holds.set(key, count)
      else holds.delete(key)
    }
  }
  return {
    hold({ _id, mediaUrl }: FiledMessage): () => void {
      const keys = [_id, ...(mediaUrl === undefined ? [] : [mediaUrl])]
      change(keys, 1)
      return () => change(keys, -1)
    },
    has: ({ messageId, mediaUrl }: Pick<LedgerEntry, 'messageId' | 'mediaUrl'>): boolean =>
      holds.has(messageId) || (mediaUrl !== undefined && holds.has(mediaUrl)),
  }
}
