import { createDeferred } from '../../../schema/helpers/deferred.ts'
import type { MessageDocument } from '../../../schema/message.ts'
import type { CommandContext } from '../storage/collections.ts'
import { noteTable } from '../storage/dexie/accompany-writes.ts'
import { readDexie } from '../storage/dexie/owed-notes.ts'
import { readDocuments } from '../storage/read-documents.ts'

/** The loudness at a moment: `at` in ms from the beginning, `level` from 0 to 1. */
export interface Level {
  at: number
  level: number
}

/** A chunk of a recording; all its chunks, concatenated, are the file. */
export interface VoicePart {
  peerId: string
  /** The id of the future message. */
  messageId: string
  /** 0, 1, 2, … */
  place: number
  bytes: Blob
  /** Of this chunk. */
  levels: readonly Level[]
  /** From the beginning of the recording to the end of this chunk, ms. */
  endsAt: number
}

interface KeptPart extends VoicePart {
  id: string
}

/** A recording that was neither sent nor discarded. */
export interface VoiceDraft extends Pick<VoicePart, 'peerId' | 'messageId'> {
  bytes: Blob
  durationMs: number
  levels: readonly Level[]
}

export type VoiceDrafts = ReturnType<typeof createVoiceDrafts>

const prefix = 'voice|'

/**
 * Stores a recording on this device chunk by chunk: a reload or a crash loses at most the last one
 * (P1). The chunks lie in the messages' database, and leave the device with it (P8).
 */
export function createVoiceDrafts({
  database,
  locks,
}: Pick<CommandContext, 'database'> & {
  /** Without locks, another tab's active recording is offered here as well. */
  locks: Pick<LockManager, 'request'> | undefined
}) {
  const { messages } = database
  /** This tab's recordings, until it releases them. */
  const own = new Map<string, Promise<void>>()
  const opening = readDexie(messages.storageInstance)
  const openTable = async () => (await opening).table<KeptPart, string>(noteTable)

  async function listParts(beginning: string): Promise<KeptPart[]> {
    return await (await openTable()).where('id').startsWith(beginning).toArray()
  }

  async function drop({ peerId, messageId }: Pick<VoicePart, 'peerId' | 'messageId'>) {
    const table = await openTable()
    await table.where('id').startsWith(recordingKey({ peerId, messageId })).delete()
  }

  async function listUnsent(ids: readonly string[]): Promise<string[]> {
    const sent: ReadonlyMap<string, Pick<MessageDocument, '_id'>> = await readDocuments(messages, [
      ...new Set(ids),
    ])
    return [...new Set(ids)].filter((id) => !sent.has(id))
  }

  async function isFree(messageId: string): Promise<boolean> {
    if (!locks) return true
    const look = (lock: Lock | null) => lock !== null
    const looking = locks.request(lockKey(messageId), { ifAvailable: true, mode: 'shared' }, look)
    // Treats a browser that denies locks as one without them.
    return await looking.catch(() => true)
  }

  return {
    /** Until the returned function is called, no other tab offers this recording. */
    hold(messageId: string): () => void {
      const held = createDeferred()
      const holding = locks?.request(lockKey(messageId), {}, () => held.promise) ?? held.promise
      const over = holding.catch(() => held.promise).finally(() => own.delete(messageId))
      own.set(messageId, over)
      return () => held.resolve()
    },

    async keep(part: VoicePart): Promise<void> {
      const id = recordingKey(part) + String(part.place).padStart(6, '0')
      await (await openTable()).put({ ...part, id })
    },

    /** A chat's oldest unsent recording that no tab is recording. */
    async read(peerId: string): Promise<VoiceDraft | undefined> {
      // This tab may still be writing the recording it just left.
      await Promise.all(own.values())
      const parts = await listParts(`${prefix}${peerId}|`)
      const ids = [...new Set(parts.map(({ messageId }) => messageId))]
      const unsent = await listUnsent(ids)
      for (const messageId of ids) {
        if (!unsent.includes(messageId)) await drop({ peerId, messageId })
      }
      for (const messageId of unsent) {
        if (await isFree(messageId)) {
          return join(parts.filter((part) => part.messageId === messageId))
        }
      }
      return undefined
    },

    /** The number of unsent recordings in all chats, including active ones. */
    async count(): Promise<number> {
      const keys = await (await openTable()).where('id').startsWith(prefix).primaryKeys()
      return (await listUnsent(keys.map(readMessageId))).length
    },

    drop,
  }
}

function join(parts: readonly KeptPart[]): VoiceDraft | undefined {
  const [first, last] = [parts[0], parts.at(-1)]
  if (!first || !last) return undefined
  const { peerId, messageId } = first
  const pieces = parts.map(({ bytes }) => bytes)
  return {
    peerId,
    messageId,
    durationMs: last.endsAt,
    bytes: new Blob(pieces, { type: first.bytes.type }),
    levels: parts.flatMap(({ levels }) => levels),
  }
}

function recordingKey({ peerId, messageId }: Pick<VoicePart, 'peerId' | 'messageId'>): string {
  return `${prefix}${peerId}|${messageId}|`
}

function readMessageId(key: string): string {
  return key.split('|')[2] ?? ''
}

function lockKey(messageId: string): string {
  return `petrel-voice-${messageId}`
}
