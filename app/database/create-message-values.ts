import { areMessagesEqual } from '../../schema/merge-messages.ts'
import type { MessageDocument } from '../../schema/message.ts'
import { createLiveValue, type LiveValue, type SettableLiveValue } from './live-value.ts'
import type { MessageCollection } from './open-database.ts'
import { readDocuments } from './read-documents.ts'
import { fromStoredMessage, type StoredMessage } from './stored-message.ts'
import { subscribeToChanges } from './subscribe-to-changes.ts'

const keptAtMost = 500

/**
 * Single messages by id, kept current: what a quotation shows, wherever the original lies. Undefined while one is
 * being read, null where it is not on the device.
 */
export function createMessageValues(options: {
  messages: MessageCollection
  onError: (cause: unknown) => void
}): { get(messageId: string): LiveValue<MessageDocument | null | undefined>; close(): void } {
  const { messages, onError } = options
  const values = new Map<string, SettableLiveValue<MessageDocument | null | undefined>>()

  function take(stored: StoredMessage) {
    const value = values.get(stored._id)
    if (!value) return
    const message = fromStoredMessage(stored)
    const before = value.getSnapshot()
    if (!before || !areMessagesEqual(before, message)) value.set(message)
  }

  function forgetUnused() {
    for (const [id, value] of values) {
      if (values.size <= keptAtMost) return
      if (!value.hasListeners()) values.delete(id)
    }
  }

  const unsubscribe = subscribeToChanges(messages, ({ documents }) => documents.forEach(take))
  return {
    get(messageId) {
      const known = values.get(messageId)
      if (known) return known
      forgetUnused()
      const value = createLiveValue<MessageDocument | null | undefined>(undefined)
      values.set(messageId, value)
      readDocuments(messages, [messageId])
        .then((found) => {
          found.forEach(take)
          if (value.getSnapshot() === undefined) value.set(null)
        })
        .catch(onError)
      return value
    },
    close: unsubscribe,
  }
}
