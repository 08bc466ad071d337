import type { MessageDocument } from '../../../schema/message.ts'
import { noteTable } from '../accompany-writes.ts'
import type { CommandContext } from '../commands/command-context.ts'
import { readDexie } from '../owed-notes.ts'
import { queryDocuments, readDocuments } from '../read-documents.ts'
import type { StoredMessage } from '../stored-message.ts'
import { addressPrefix } from './file-shelf.ts'
import { filePrefix, type KeptFile } from './kept-file.ts'

/** Beside each file, so that neither its size nor its use needs a look at its bytes. */
interface UseNote {
  /** `usePrefix` and the message's id. */
  id: string
  /** Bytes. */
  size: number
  /** Epoch ms. */
  usedAt: number
}

interface AddressNote {
  id: string
  messageId: string
}

/** A file on this device and what its message says of it. */
export interface LedgerEntry {
  messageId: string
  /** Bytes. */
  size: number
  /** When it was last shown or came here, epoch ms. */
  usedAt: number
  /** Absent where its message is not on the device. */
  peerId?: string
  mediaUrl?: string | undefined
  /** It is nowhere but here. */
  isUnsent: boolean
  isStarred: boolean
  /** Its conversation was cleared since. */
  isCleared: boolean
}

const usePrefix = 'used|'
/** How exactly it is known when a file was used: a write for each glance would cost more than it tells. */
const useEveryMs = 60 * 60 * 1000

/** Knows what the files on this device take, and takes them off it. */
export function createFileLedger({ database, now }: Pick<CommandContext, 'database' | 'now'>) {
  const { messages, conversations } = database
  const opening = readDexie(messages.storageInstance)
  const touched = new Map<string, number>()

  async function openTables() {
    const dexie = await opening
    return {
      dexie,
      notes: dexie.table<KeptFile | UseNote | AddressNote, string>(noteTable),
      documents: dexie.table<StoredMessage, string>('docs'),
    }
  }

  async function listNotes(): Promise<Map<string, UseNote>> {
    const { notes } = await openTables()
    const keys = await notes.where('id').startsWith(filePrefix).primaryKeys()
    const ids = keys.map((key) => key.slice(filePrefix.length))
    const known = new Map<string, UseNote>()
    for (const note of await notes.where('id').startsWith(usePrefix).toArray()) {
      if ('usedAt' in note) known.set(note.id.slice(usePrefix.length), note)
    }
    const made: UseNote[] = []
    for (const id of ids) {
      if (known.has(id)) continue
      const kept = await notes.get(filePrefix + id)
      if (!kept || !('file' in kept)) continue
      const note = { id: usePrefix + id, size: kept.file.size, usedAt: kept.at }
      made.push(note)
      known.set(id, note)
    }
    const there = new Set(ids)
    const stale = [...known.keys()].filter((id) => !there.has(id))
    for (const id of stale) known.delete(id)
    // On a full disk they are made anew the next time.
    await notes.bulkPut(made).catch(() => {})
    if (stale.length > 0) await notes.bulkDelete(stale.map((id) => usePrefix + id))
    return known
  }

  /** Files that a starred message shows, whichever message they came with. */
  async function listStarredAddresses(): Promise<Set<string>> {
    const starred = await queryDocuments(messages, {
      selector: { starOrder: { $lte: 0 } },
      sort: [{ starOrder: 'asc' }],
      index: ['starOrder'],
    })
    return new Set(starred.flatMap(({ mediaUrl }) => mediaUrl ?? []))
  }

  async function list(): Promise<LedgerEntry[]> {
    const used = await listNotes()
    const [stored, starredAddresses] = await Promise.all([
      readDocuments(messages, [...used.keys()]),
      listStarredAddresses(),
    ])
    const peerIds = new Set([...stored.values()].map(({ peerId }) => peerId))
    const found = await readDocuments(conversations, [...peerIds])
    return [...used].map(([messageId, { size, usedAt }]) => {
      const message = stored.get(messageId)
      const facts = { messageId, size, usedAt }
      if (!message) return { ...facts, isUnsent: false, isStarred: false, isCleared: false }
      const { peerId, mediaUrl, orderedAt, isStarred } = message
      return {
        ...{ ...facts, peerId, mediaUrl },
        isUnsent: isUnsent(message),
        isStarred: isStarred || (mediaUrl !== undefined && starredAddresses.has(mediaUrl)),
        isCleared: orderedAt <= (found.get(peerId)?.clearedUpTo ?? 0),
      }
    })
  }

  return {
    list,

    /** Notes that the file of a message is used now. */
    async touch({ _id, mediaUrl }: Pick<MessageDocument, '_id' | 'mediaUrl'>, size: number) {
      const at = now()
      const key = mediaUrl ?? _id
      if (at - (touched.get(key) ?? -useEveryMs) < useEveryMs) return
      touched.set(key, at)
      const { notes } = await openTables()
      const isOwn =
        (await notes
          .where('id')
          .equals(filePrefix + _id)
          .count()) > 0
      const address = isOwn || !mediaUrl ? undefined : await notes.get(addressPrefix + mediaUrl)
      const holder = address && 'messageId' in address ? address.messageId : _id
      await notes.put({ id: usePrefix + holder, size, usedAt: at })
    },

    /**
     * Takes files off the device. One that is nowhere else stays, whatever was known of it before.
     * @param keepsStarred a file that was starred meanwhile stays too
     * @returns bytes
     */
    async remove(
      entries: readonly LedgerEntry[],
      { keepsStarred }: { keepsStarred: boolean },
    ): Promise<number> {
      const { dexie, notes, documents } = await openTables()
      return await dexie.transaction('rw', documents, notes, async () => {
        const stored = await documents.bulkGet(entries.map(({ messageId }) => messageId))
        const leaving = entries.filter((_, at) => {
          const message = stored[at]
          return !message || !(isUnsent(message) || (keepsStarred && message.isStarred))
        })
        const ids = new Set(leaving.map(({ messageId }) => messageId))
        const addresses = leaving.flatMap(({ mediaUrl }) => mediaUrl ?? [])
        const named = await notes.bulkGet(addresses.map((url) => addressPrefix + url))
        const dangling = named.flatMap((note) =>
          note && 'messageId' in note && ids.has(note.messageId) ? note.id : [],
        )
        const keys = [...ids].flatMap((id) => [filePrefix + id, usePrefix + id])
        await notes.bulkDelete([...keys, ...dangling])
        for (const { messageId, mediaUrl } of leaving) touched.delete(mediaUrl ?? messageId)
        return leaving.reduce((sum, { size }) => sum + size, 0)
      })
    },
  }
}

function isUnsent({
  senderId,
  peerId,
  status,
  deletedAt,
}: Pick<MessageDocument, 'senderId' | 'peerId' | 'status' | 'deletedAt'>): boolean {
  const isAcceptedYet = status !== 'sending' && status !== 'failed'
  return senderId !== peerId && !isAcceptedYet && deletedAt === undefined
}
