import type { PetrelDatabase } from '../database/storage/open-database.ts'
import type { createConversationList } from '../database/views/conversation-list.ts'
import type { LiveValue } from '../database/views/live-value.ts'
import { createMessageValues } from '../database/views/message-values.ts'
import { createMessageWindow } from '../database/views/message-window.ts'
import { createStarred } from '../database/views/starred.ts'
import type { Messenger } from './messenger-types.ts'
import { createMask, type Withheld } from './withheld.ts'

/** What screens watch of this device's data, with withheld changes shown as done. */
export interface ScreenViews {
  views: Pick<Messenger, 'conversations' | 'openConversation' | 'sift' | 'messages' | 'starred'>
  close(): void
}

export function createScreenViews(options: {
  database: PetrelDatabase
  list: ReturnType<typeof createConversationList>
  withheld: LiveValue<Withheld>
  onError: (cause: unknown) => void
}): ScreenViews {
  const { database, list, withheld, onError } = options
  const mask = createMask(withheld)
  const messageValues = createMessageValues({ database, onError })
  const starred = createStarred({ messages: database.messages, onError })
  return {
    views: {
      conversations: mask.rows(list.conversations),
      openConversation: (peerId, options) =>
        mask.view(
          createMessageWindow({
            ...options,
            database,
            peerId,
            hiddenUpTo: () => withheld.getSnapshot().cleared.get(peerId) ?? 0,
            onError,
          }),
        ),
      async sift(peerId, options) {
        const { createSiftedWindow } = await import('../database/views/sifted-window.ts')
        return mask.sifted(createSiftedWindow({ ...options, database, peerId, onError }))
      },
      messages: { get: (messageId) => mask.message(messageValues.get(messageId)) },
      starred: mask.messages(starred.starred),
    },
    close() {
      for (const part of [starred, messageValues, list]) part.close()
    },
  }
}
