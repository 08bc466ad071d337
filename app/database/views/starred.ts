import { areMessagesEqual } from '../../../schema/merge-messages.ts'
import type { MessageDocument } from '../../../schema/message.ts'
import { type MessageCollection, subscribeToChanges } from '../storage/collections.ts'
import { queryDocuments } from '../storage/read-documents.ts'
import { fromStoredMessage } from '../storage/stored-message.ts'
import { createLiveValue, type LiveValue } from './live-value.ts'
import { createRefresher } from './refresher.ts'

/** The starred messages, newest star first, kept current; undefined until loaded. */
export function createStarred(options: {
  messages: MessageCollection
  onError: (cause: unknown) => void
}): { starred: LiveValue<readonly MessageDocument[] | undefined>; close(): void } {
  const { messages, onError } = options
  const starred = createLiveValue<readonly MessageDocument[] | undefined>(undefined)
  /** Changed since the last reading began. */
  const changed = new Set<string>()
  const refresher = createRefresher({
    onError,
    async run() {
      changed.clear()
      const found = await queryDocuments(messages, {
        selector: { starOrder: { $lte: 0 } },
        sort: [{ starOrder: 'asc' }],
        index: ['starOrder'],
      })
      const known = new Map(starred.getSnapshot()?.map((message) => [message._id, message]))
      starred.set(
        found.map(fromStoredMessage).map((message) => {
          const before = known.get(message._id)
          return before && areMessagesEqual(before, message) ? before : message
        }),
      )
      // One whose star went while it was being read.
      if (found.some(({ _id }) => changed.has(_id))) void refresher.refresh()
    },
  })
  const unsubscribe = subscribeToChanges(messages, ({ documents }) => {
    for (const { _id } of documents) changed.add(_id)
    const shown = new Set(starred.getSnapshot()?.map(({ _id }) => _id))
    const isConcerned = documents.some(({ _id, isStarred }) => isStarred || shown.has(_id))
    if (isConcerned) void refresher.refresh()
  })
  void refresher.refresh()
  return {
    starred,
    close() {
      unsubscribe()
      refresher.close()
    },
  }
}
