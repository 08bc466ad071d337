import type { MessageDocument } from '../../../schema/message.ts'
import { type CommandContext, ownerOf } from '../storage/collections.ts'
import { noteTable } from '../storage/dexie/accompany-writes.ts'
import { readDexie } from '../storage/dexie/owed-notes.ts'
import { findHolders, isUnsent, listWanting } from '../storage/find-wanted-files.ts'
import { addressPrefix, filePrefix, type KeptFile } from '../storage/queued-request.ts'
import { readDocuments } from '../storage/read-documents.ts'
import type { StoredMessage } from '../storage/stored-message.ts'

/**
 * Stored beside each file, so that neither its size nor its last use requires reading its bytes.
 */
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

/** A file on this device and what its message says about it. */
export interface LedgerEntry {
  messageId: string
  /** Bytes. */
  size: number
  /** When it was last shown or stored, epoch ms. */
  usedAt: number
  /** Absent when its message is not on the device. */
  peerId?: string
  mediaUrl?: string | undefined
  /** Only this device has it, or an unsent message shows it. */
  isUnsent: boolean
  /** By its own message or another that shows it. */
  isStarred: boolean
  /** Its conversation was cleared since, or its message deleted. */
  isCleared: boolean
  /** An uncleared unsent or starred message shows the same file. */
  isWantedElsewhere: boolean
}

const usePrefix = 'used|'
/** The precision of a file's last use: a write per view would cost more than it is worth. */
const useEveryMs = 60 * 60 * 1000

/** Tracks how much space the files on this device take, and removes them. */
export function createFileLedger({ database, now }: Pick<CommandContext, 'database' | 'now'>) {
  const { messages, conversations } = database
  const opening = readDexie(messages.storageInstance)
  const touched = new Map<string, number>()
  const isOwnUnsent = (message: StoredMessage) => isUnsent(message, ownerOf(messages))

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
    // On a full disk the next run recreates them.
    await notes.bulkPut(made).catch(() => {})
    if (stale.length > 0) await notes.bulkDelete(stale.map((id) => usePrefix + id))
    return known
  }

  /** The cleared marks of some messages' conversations. */
  async function readClearings(found: Iterable<Pick<MessageDocument, 'peerId'>>) {
    const peerIds = new Set(Array.from(found, ({ peerId }) => peerId))
    const cleared = await readDocuments(conversations, [...peerIds])
    return ({ peerId, orderedAt }: Pick<MessageDocument, 'peerId' | 'orderedAt'>) =>
      orderedAt <= (cleared.get(peerId)?.clearedUpTo ?? 0)
  }

  async function list(): Promise<LedgerEntry[]> {
    const used = await listNotes()
    const { notes, documents } = await openTables()
    const [stored, wanting] = await Promise.all([
      readDocuments(messages, [...used.keys()]),
      listWanting(documents),
    ])
    const isCleared = await readClearings([...stored.values(), ...wanting])
    const starred = wanting.filter((message) => message.isStarred && !isCleared(message))
    const starredHolders = await findHolders(notes, starred)
    const unsentHolders = await findHolders(notes, wanting.filter(isOwnUnsent))
    return [...used].map(([messageId, { size, usedAt }]) => {
      const message = stored.get(messageId)
      return {
        messageId,
        size,
        usedAt,
        ...(message && { peerId: message.peerId, mediaUrl: message.mediaUrl }),
        isUnsent: unsentHolders.has(messageId) || (message !== undefined && isOwnUnsent(message)),
        isStarred:
          starredHolders.has(messageId) || Boolean(message?.isStarred && !message.isHidden),
        isCleared: message !== undefined && (isCleared(message) || isGone(message)),
        isWantedElsewhere: starredHolders.has(messageId) || unsentHolders.has(messageId),
      }
    })
  }

  return {
    list,

    /** Records that a message's file is used now. */
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
     * Removes files from the device. Rechecks and keeps a file without another copy, and one that
     * another unsent or starred message shows.
     * @param keepsStarred also keeps a file whose own message was starred meanwhile
     * @returns bytes
     */
    async remove(
      entries: readonly LedgerEntry[],
      { keepsStarred }: { keepsStarred: boolean },
    ): Promise<number> {
      const { dexie, notes, documents } = await openTables()
      const isCleared = await readClearings(await listWanting(documents))
      return await dexie.transaction('rw', documents, notes, async () => {
        const stored = await documents.bulkGet(entries.map(({ messageId }) => messageId))
        const wanting = await listWanting(documents)
        const holders = await findHolders(
          notes,
          wanting.filter((message) => isOwnUnsent(message) || !isCleared(message)),
        )
        const leaving = entries.filter(({ messageId }, at) => {
          const message = stored[at]
          if (holders.has(messageId)) return false
          return !message || !(isOwnUnsent(message) || (keepsStarred && message.isStarred))
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

/** Do its owner's screens show its file no more? */
function isGone({ deletedAt, isHidden }: MessageDocument): boolean {
  return deletedAt !== undefined || isHidden === true
}
