import { kindOf } from '../../schema/conversation.ts'
import type { ConversationRow } from '../sync/messenger-types.ts'

export const listFilters = ['All', 'Unread', 'Favourites', 'Groups'] as const
export type ListFilter = (typeof listFilters)[number]

interface RowsWanted {
  isArchived: boolean
  filter: ListFilter
  /** Stays in the list although reading it means the filter no longer matches. */
  keptPeerId?: string | undefined
}

/** The conversations of a view. Favourites are the pinned ones. */
export function filterRows(
  rows: readonly ConversationRow[],
  { isArchived, filter, keptPeerId }: RowsWanted,
): ConversationRow[] {
  return rows.filter(
    (row) =>
      row.isArchived === isArchived && (matchesFilter(row, filter) || row.peerId === keptPeerId),
  )
}

function matchesFilter(row: ConversationRow, filter: ListFilter): boolean {
  switch (filter) {
    case 'All':
      return true
    case 'Unread':
      return row.unreadCount > 0
    case 'Favourites':
      return row.isPinned
    case 'Groups':
      return kindOf(row.peer) === 'group'
  }
}

/** The text of an empty list. Source: decision 61, section 2. */
export function nameEmptyList(isArchived: boolean, filter: ListFilter): string {
  if (isArchived) return 'No archived chats'
  switch (filter) {
    case 'All':
      return 'No chats available'
    case 'Unread':
      return 'No unread chats'
    case 'Favourites':
      return 'No favourite chats'
    case 'Groups':
      return 'No groups'
  }
}
