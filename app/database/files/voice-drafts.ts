import { createDeferred } from '../../../schema/helpers/deferred.ts'
import type { MessageDocument } from '../../../schema/message.ts'
import type { CommandContext } from '../storage/command-context.ts'
import { noteTable } from '../storage/dexie/accompany-writes.ts'
import { readDexie } from '../storage/dexie/owed-notes.ts'
import { readDocuments } from '../storage/read-documents.ts'

/** What was heard at a moment: `at` in ms from the beginning, `level` from 0 to 1. */
export interface Level {
  at: number
  level: number
}

/** A piece of what is being recorded; all pieces of a recording, one behind the other, are its file. */
export interface VoicePart {
  peerId: string
  /** Of the message that it becomes. */
  messageId: string
  /** 0, 1, 2, … */
  place: number
  bytes: Blob
  /** Of this piece. */
  levels: readonly Level[]
  /** From the beginning of the recording to the end of this piece, ms. */
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
 * Keeps on this device what is being recorded, piece by piece: a reload or a crash loses the last piece at most (P1).
 * They lie in the database of the messages, and leave the device with it (P8).
 */
export function createVoiceDrafts({
  database,
  locks,
}: Pick<CommandContext, 'database'> & {
  /** Without them a recording that another tab is at is offered here as well. */
  locks: Pick<LockManager, 'request'> | undefined
}) {
  const { messages } = database
  /** Recordings that this tab is at, each until it is let go. */
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
    // A browser that gives no locks is one without them.
    return await looking.catch(() => true)
  }

  return {
    /** Until the function that it gives is called, no other tab is offered this recording. */
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

    /** The oldest of a chat that is not a message yet, and that no tab is recording. */
    async read(peerId: string): Promise<VoiceDraft | undefined> {
      // What this tab has just left is still being written.
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

    /** How many recordings of all chats are no message yet, with those that are under way. */
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
