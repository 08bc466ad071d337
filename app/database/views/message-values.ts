import { withoutHidden } from '../../../schema/blank-deleted.ts'
import { areMessagesEqual } from '../../../schema/merge-messages.ts'
import type { MessageDocument } from '../../../schema/message.ts'
import { deriveStatus, deriveStatusHistory, type PeerMarks } from '../../../schema/peer-marks.ts'
import { ownerOf, subscribeToChanges } from '../storage/collections.ts'
import type { PetrelDatabase } from '../storage/open-database.ts'
import { readDocuments } from '../storage/read-documents.ts'
import { fromStoredConversation, type StoredConversation } from '../storage/stored-conversation.ts'
import { fromStoredMessage, type StoredMessage } from '../storage/stored-message.ts'
import { createLiveValue, type LiveValue, type SettableLiveValue } from './live-value.ts'

const keptAtMost = 500

interface Kept {
  value: SettableLiveValue<MessageDocument | null | undefined>
  message?: MessageDocument
}

/**
 * Single messages by id, kept current: what a quotation shows, wherever the original lies.
 * Undefined while loading, null when the device does not have it.
 */
export function createMessageValues(options: {
  database: Pick<PetrelDatabase, 'messages' | 'conversations'>
  onError: (cause: unknown) => void
}): { get(messageId: string): LiveValue<MessageDocument | null | undefined>; close(): void } {
  const { messages, conversations } = options.database
  const kept = new Map<string, Kept>()
  /** The conversations of those messages. */
  const known = new Map<string, StoredConversation>()

  function take(stored: StoredMessage) {
    const entry = kept.get(stored._id)
    if (!entry) return
    entry.message = fromStoredMessage(stored)
    publish(entry)
  }

  function publish({ value, message }: Kept) {
    if (!message) return
    const conversation = known.get(message.peerId)
    const shown = showMessage(
      withoutHidden(message),
      conversation && fromStoredConversation(conversation),
      ownerOf(messages),
    )
    const before = value.getSnapshot()
    if (!before || !areMessagesEqual(before, shown)) value.set(shown)
  }

  function forgetUnused() {
    for (const [id, { value }] of kept) {
      if (kept.size <= keptAtMost) return
      if (!value.hasListeners()) kept.delete(id)
    }
  }

  async function read(messageId: string, value: Kept['value']) {
    const found = await readDocuments(messages, [messageId])
    const peerIds = [...found.values()].map(({ peerId }) => peerId)
    const read = await readDocuments(conversations, peerIds)
    // Writes during the read are newer.
    for (const [peerId, each] of read) if (!known.has(peerId)) known.set(peerId, each)
    for (const stored of found.values()) {
      const entry = kept.get(stored._id)
      if (entry?.message) publish(entry)
      else take(stored)
    }
    if (value.getSnapshot() === undefined) value.set(null)
  }

  function follow(conversation: StoredConversation) {
    const { _id: peerId } = conversation
    const concerned = [...kept.values()].filter(({ message }) => message?.peerId === peerId)
    if (concerned.length === 0 && !known.has(peerId)) return
    known.set(peerId, conversation)
    concerned.forEach(publish)
  }

  const unsubscribes = [
    subscribeToChanges(messages, ({ documents }) => documents.forEach(take)),
    subscribeToChanges(conversations, ({ documents }) => documents.forEach(follow)),
  ]
  return {
    get(messageId) {
      const before = kept.get(messageId)
      if (before) return before.value
      forgetUnused()
      const value = createLiveValue<MessageDocument | null | undefined>(undefined)
      kept.set(messageId, { value })
      read(messageId, value).catch(options.onError)
      return value
    },
    close() {
      for (const unsubscribe of unsubscribes) unsubscribe()
    },
  }
}

/**
 * A message as screens show it: its status follows from the other person's marks. Never stored:
 * commands read the stored version by its id.
 * @param marks its conversation, if any
 */
export function showMessage(
  message: MessageDocument,
  marks: Partial<PeerMarks> | undefined,
  ownerId: string,
): MessageDocument {
  const status = deriveStatus(message, marks, ownerId)
  if (status === message.status) return message
  return { ...message, status, statusHistory: deriveStatusHistory(message, marks, ownerId) }
}
