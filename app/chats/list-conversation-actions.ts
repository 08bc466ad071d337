import type { MessengerCommands } from '../sync/messenger-commands.ts'
import type { ConversationRow, Messenger } from '../sync/messenger-types.ts'
import type { MenuAction } from '../ui/menus/menu-action.ts'

interface ConversationActionOptions {
  row: ConversationRow
  commands: MessengerCommands
  undo: Messenger['undo']
  /** Reports an action that the device could not store. */
  attempt(work: Promise<unknown>, words: string): void
  /** Asks for how long to mute the conversation. */
  askMute(row: ConversationRow): void
  /** Asks before clearing the conversation. */
  askDelete(row: ConversationRow): void
}

/** The menu of one conversation. Source: decision 61, section 2. */
export function listConversationActions(options: ConversationActionOptions): MenuAction[] {
  const { row, commands, undo, attempt, askMute, askDelete } = options
  const { peerId, isPinned, isMuted, isArchived } = row
  const markRead: MenuAction = {
    label: 'Mark as Read',
    icon: 'check',
    onSelect: () => attempt(commands.markRead(peerId), 'Failed to mark chat as read'),
  }
  return [
    {
      label: isPinned ? 'Unpin' : 'Pin',
      icon: 'pin',
      onSelect: () => attempt(commands.setPinned(peerId, !isPinned), 'Failed to change chat'),
    },
    {
      label: isMuted ? 'Unmute' : 'Mute',
      icon: isMuted ? 'unmute' : 'mute',
      onSelect: () =>
        isMuted ? attempt(commands.setMuted(peerId, false), 'Failed to change chat') : askMute(row),
    },
    {
      label: isArchived ? 'Unarchive' : 'Archive',
      icon: 'archive',
      onSelect: () => attempt(undo.setArchived(peerId, !isArchived), 'Failed to change chat'),
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
