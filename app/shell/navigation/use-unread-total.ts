import type { ConversationRow } from '../../sync/messenger-types.ts'
import { useLivePart } from '../../ui/hooks/use-live-value.ts'
import { useSettledCount } from '../../ui/hooks/use-settled-count.ts'
import { useMessenger } from '../session/messenger-context.tsx'

/**
 * The unread total of all chats; a message in the open chat counts only if it stays unread for a
 * moment.
 */
export function useUnreadTotal(
  count: (rows: readonly ConversationRow[]) => number,
  openPeerId: string | undefined,
): number {
  const { conversations } = useMessenger()
  const isOpen = ({ peerId }: ConversationRow) => peerId === openPeerId
  const open = useLivePart(conversations, (rows) => count(rows.filter(isOpen)))
  const others = useLivePart(conversations, (rows) => count(rows.filter((row) => !isOpen(row))))
  return others + useSettledCount(open, true)
}

/** The number of unread chats in the list; muted ones do not count. */
export function countUnreadChats(rows: readonly ConversationRow[]): number {
  return rows.filter((row) => row.unreadCount > 0 && !row.isArchived && !row.isMuted).length
}
