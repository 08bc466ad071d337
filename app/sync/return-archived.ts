import type { ConversationRow } from '../database/views/conversation-row.ts'
import type { LiveValue } from '../database/views/live-value.ts'
import type { OwnSettings } from './own-settings.ts'

/**
 * Takes an archived chat back into the list when a message of the other person arrives after it
 * was archived, unless archived chats stay archived.
 * @returns ends it
 */
export function returnArchived(options: {
  conversations: LiveValue<readonly ConversationRow[]>
  settings: Pick<OwnSettings, 'values'>
  userId: string
  /** When a conversation was last archived, epoch ms. */
  findArchivedAt: (peerId: string) => Promise<number>
  unarchive: (peerId: string) => Promise<void>
  onError: (cause: unknown) => void
}): () => void {
  const { conversations, settings, userId, findArchivedAt, unarchive, onError } = options
  /** The newest message of each archived chat that was looked at. */
  const seen = new Map<string, string>()

  async function look(row: ConversationRow, orderedAt: number) {
    if ((await findArchivedAt(row.peerId)) < orderedAt) await unarchive(row.peerId)
  }

  function lookAtAll() {
    if (settings.values.getSnapshot().keepsArchived) return seen.clear()
    for (const row of conversations.getSnapshot()) {
      const { peerId, isArchived, lastMessage } = row
      if (!isArchived || !lastMessage || lastMessage.senderId === userId) continue
      if (seen.get(peerId) === lastMessage._id) continue
      seen.set(peerId, lastMessage._id)
      look(row, lastMessage.orderedAt).catch(onError)
    }
  }

  const unsubscribes = [conversations.subscribe(lookAtAll), settings.values.subscribe(lookAtAll)]
  lookAtAll()
  return () => {
    for (const unsubscribe of unsubscribes) unsubscribe()
  }
}
