import type { MessageDocument } from '../../../schema/message.ts'
import type { CommandContext } from '../storage/collections.ts'
import { noteTable } from '../storage/dexie/accompany-writes.ts'
import { readDexie, writeWithNote } from '../storage/dexie/owed-notes.ts'
import { addressPrefix, filePrefix, type KeptFile } from '../storage/queued-request.ts'

/**
 * The message under which an address's file is stored: a forward needs no second copy of the bytes.
 */
interface AddressNote {
  id: string
  messageId: string
}

type Filed = Pick<MessageDocument, '_id' | 'mediaUrl'>

/**
 * The files on this device, stored beside the messages in one database, so that one transaction can
 * hold both.
 */
export function createFileStore({ database, now }: Pick<CommandContext, 'database' | 'now'>) {
  const opening = readDexie(database.messages.storageInstance)
  const openTable = async () => (await opening).table<KeptFile | AddressNote, string>(noteTable)

  async function readFile(messageId: string): Promise<Blob | undefined> {
    const kept = await (await openTable()).get(filePrefix + messageId)
    return kept && 'file' in kept ? kept.file : undefined
  }

  return {
    /** The ids of all messages that have a stored file. */
    async listMessageIds(): Promise<string[]> {
      const keys = await (await openTable()).where('id').startsWith(filePrefix).primaryKeys()
      return keys.map((key) => key.slice(filePrefix.length))
    },

    /** Runs a message's write and stores its file in the same transaction. */
    async storeWith(messageId: string, file: Blob, write: () => Promise<unknown>): Promise<void> {
      const note: KeptFile = { id: filePrefix + messageId, file, at: now() }
      await writeWithNote(await opening, { messageId, note }, write)
    },

    /**
     * A message's file, even when stored for another message; undefined when not on this device.
     */
    async read({ _id, mediaUrl }: Filed): Promise<Blob | undefined> {
      const own = await readFile(_id)
      if (own || mediaUrl === undefined) return own
      const note = await (await openTable()).get(addressPrefix + mediaUrl)
      return note && 'messageId' in note ? await readFile(note.messageId) : undefined
    },

    /** Stores a file fetched for a message. */
    async keep({ _id, mediaUrl }: Filed, file: Blob): Promise<void> {
      const table = await openTable()
      await table.bulkPut([
        { id: filePrefix + _id, file, at: now() },
        ...(mediaUrl === undefined ? [] : [addressNote(mediaUrl, _id)]),
      ])
    },

    /** Records that this message's file now has an address. */
    async recordAddress(messageId: string, mediaUrl: string): Promise<void> {
      await (await openTable()).put(addressNote(mediaUrl, messageId))
    },
  }
}

function addressNote(mediaUrl: string, messageId: string): AddressNote {
  return { id: addressPrefix + mediaUrl, messageId }
}
