import { isUploadOwed, type MessageDocument } from '../../../schema/message.ts'
import type { MessageCollection } from '../../database/open-database.ts'
import { queryDocuments } from '../../database/read-documents.ts'
import { fromStoredMessage, pendingTally } from '../../database/stored-message.ts'
import { subscribeToChanges } from '../../database/subscribe-to-changes.ts'

export type PendingFiles = ReturnType<typeof createPendingFiles>

/** The own messages with a file that the server has not taken yet: read from what is stored, and followed from then on. */
export function createPendingFiles(options: {
  messages: MessageCollection
  onError: (cause: unknown) => void
}) {
  const { messages, onError } = options
  const pending = new Map<string, MessageDocument>()
  const listeners = new Set<() => void>()

  function take(message: MessageDocument): boolean {
    const { _id } = message
    const before = pending.get(_id)
    const isKnown = before && isUploadOwed(before) === isUploadOwed(message)
    if (isWaiting(message)) pending.set(_id, message)
    else pending.delete(_id)
    return isWaiting(message) ? !isKnown : before !== undefined
  }

  function note(...changed: readonly MessageDocument[]) {
    if (changed.filter(take).length === 0) return
    for (const listener of listeners) listener()
  }

  async function read() {
    const stored = await queryDocuments(messages, {
      selector: { tally: pendingTally },
      sort: [{ tally: 'asc' }, { recency: 'asc' }],
      index: ['tally', 'recency'],
    })
    note(...stored.filter(({ _id }) => !pending.has(_id)).map(fromStoredMessage))
  }

  const isOfInterest = ({ _id, file }: Pick<MessageDocument, '_id' | 'file'>) =>
    file !== undefined || pending.has(_id)
  const unsubscribe = subscribeToChanges(messages, ({ documents }) =>
    note(...documents.filter(isOfInterest).map(fromStoredMessage)),
  )
  const ready = read()
  ready.catch(onError)

  return {
    /** Resolves when all that is stored is known. */
    ready,
    note,
    get: (messageId: string) => pending.get(messageId),
    has: (messageId: string) => pending.has(messageId),
    /** Those whose file is not on the server, by their place. */
    listOwed: () =>
      [...pending.values()].filter(isUploadOwed).sort((a, b) => a.orderedAt - b.orderedAt),
    /**
     * Does this message have to stay on the device for now? One whose file is not on the server, and whatever was said
     * after a file that is not sent: what the other person reads keeps its order.
     */
    isHeld(message: MessageDocument): boolean {
      if (message.deletedAt !== undefined) return false
      if (isUploadOwed(message)) return true
      if (message.status !== 'sending') return false
      return [...pending.values()].some(
        ({ peerId, orderedAt }) => peerId === message.peerId && orderedAt < message.orderedAt,
      )
    },
    subscribe(listener: () => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close() {
      unsubscribe()
      listeners.clear()
    },
  }
}

function isWaiting({ file, status, deletedAt }: MessageDocument): boolean {
  return file !== undefined && status === 'sending' && deletedAt === undefined
}
