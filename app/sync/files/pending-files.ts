import { isUploadOwed, type MessageDocument } from '../../../schema/message.ts'
import { changeMessage } from '../../database/commands/change-message.ts'
import { type MessageCollection, subscribeToChanges } from '../../database/storage/collections.ts'
import {
  failedTally,
  fromStoredMessage,
  listTally,
  pendingTally,
} from '../../database/storage/stored-message.ts'

export type PendingFiles = ReturnType<typeof createPendingFiles>

/**
 * Own messages whose file the server lacks: read from storage, then followed.
 * Includes messages refused for a lost file, until this device has checked for a possible upload.
 */
export function createPendingFiles(messages: MessageCollection) {
  const pending = new Map<string, MessageDocument>()
  const listeners = new Set<() => void>()
  /** A second refusal of these has another reason. */
  const lookedAt = new Set<string>()
  /** The reachable server could not accept these, and may never do so. */
  const stuck = new Set<string>()
  let reading: Promise<void> | undefined
  /** Told of while the stored ones are read: what is read may be older. */
  let told: Set<string> | undefined

  function record(stored: readonly MessageDocument[]) {
    for (const message of stored) {
      told?.add(message._id)
      if (isUnsent(message) || isLost(message)) pending.set(message._id, message)
      else pending.delete(message._id)
    }
    if (stored.length > 0) for (const listener of listeners) listener()
  }

  const isLost = (message: MessageDocument) => isFileLost(message) && !lookedAt.has(message._id)

  async function read() {
    const newer = new Set<string>()
    told = newer
    const tallied = [pendingTally, failedTally].map((tally) => listTally(messages, tally))
    const stored = (await Promise.all(tallied)).flat()
    told = undefined
    const isNew = (_id: string) => !pending.has(_id) && !newer.has(_id)
    record(stored.filter(({ _id, file }) => file && isNew(_id)).map(fromStoredMessage))
  }

  const unsubscribe = subscribeToChanges(messages, ({ documents }) =>
    record(documents.filter(({ _id, file }) => file || pending.has(_id)).map(fromStoredMessage)),
  )

  return {
    /** Resolves when all stored ones are known; the next caller retries a failed read. */
    ready(): Promise<void> {
      reading ??= read()
      reading.catch(() => {
        reading = undefined
      })
      return reading
    },
    record: record,
    /** Changes one of them on this device. */
    change: (messageId: string, change: (message: MessageDocument) => MessageDocument) =>
      changeMessage(messages, messageId, change),
    get: (messageId: string) => pending.get(messageId),
    /** Messages whose file is not on the server. */
    listOwed: () => [...pending.values()].filter(isUploadOwed),
    /** Messages refused because the server has no such file. */
    listLost: () => [...pending.values()].filter(isLost),
    /** They are sent again by now, or cannot be. */
    recordLookedAt(messageIds: readonly string[]) {
      for (const id of messageIds) lookedAt.add(id)
      record([...pending.values()].filter(({ _id }) => lookedAt.has(_id)))
    },
    /** Later messages stop waiting for it: out of order is better than never (P6). */
    recordStuck(messageId: string) {
      const message = pending.get(messageId)
      if (!message || stuck.has(messageId)) return
      stuck.add(messageId)
      record([message])
    },
    /** Must later messages wait until this file is sent? The reader sees them in order. */
    isWaitedFor: (messageId: string) => pending.has(messageId) && !stuck.has(messageId),
    /**
     * Must this message stay on the device for now? True for a file not on the server, and for
     * every message after an unsent file.
     */
    isHeld(message: MessageDocument): boolean {
      if (message.deletedAt !== undefined) return false
      if (isUploadOwed(message)) return true
      if (message.status !== 'sending') return false
      return [...pending.values()].some(
        ({ _id, peerId, orderedAt }) =>
          peerId === message.peerId && orderedAt < message.orderedAt && !stuck.has(_id),
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

function isUnsent({ file, status, deletedAt }: MessageDocument): boolean {
  return Boolean(file) && status === 'sending' && deletedAt === undefined
}

function isFileLost({ file, status, errorCode, deletedAt }: MessageDocument): boolean {
  const isRefused = status === 'failed' && errorCode === 'media_not_allowed'
  return isRefused && Boolean(file) && deletedAt === undefined
}
