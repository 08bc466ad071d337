import type { ConversationRow, MessengerCommands } from '../sync/messenger.ts'
import type { MenuAction } from '../ui/menu-action.ts'

interface ConversationActionOptions {
  row: ConversationRow
  commands: MessengerCommands
  /** Asks before the conversation is cleared. */
  askDelete(row: ConversationRow): void
}

/** The menu of one conversation. Source: section 2 of the specification. */
export function listConversationActions(options: ConversationActionOptions): MenuAction[] {
  const { row, commands, askDelete } = options
  const { peerId, isPinned, isMuted, isArchived } = row
  const markRead: MenuAction = {
    label: 'Mark as Read',
    icon: 'check',
    onSelect: () => void commands.markRead(peerId),
  }
  return [
    {
      label: isPinned ? 'Unpin' : 'Pin',
      icon: 'pin',
      onSelect: () => void commands.setPinned(peerId, !isPinned),
    },
    {
      label: isMuted ? 'Unmute' : 'Mute',
      icon: isMuted ? 'unmute' : 'mute',
      onSelect: () => void commands.setMuted(peerId, !isMuted),
    },
    {
      label: isArchived ? 'Unarchive' : 'Archive',
      icon: 'archive',
      onSelect: () => void commands.setArchived(peerId, !isArchived),
    },
    ...(row.unreadCount > 0 ? [markRead] : []),
    {
      label: 'Delete',
      icon: 'trash',
      isDanger: true,
      startsSection: true,
      onSelect: () => askDelete(row),
    },
  ]
}
