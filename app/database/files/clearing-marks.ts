import type { MessageDocument } from '../../../schema/message.ts'
import type { CommandContext } from '../storage/collections.ts'
import { noteTable } from '../storage/dexie/accompany-writes.ts'
import { readDexie } from '../storage/dexie/owed-notes.ts'

interface ClearingMark {
  id: string
  /** An `orderedAt`: covers messages up to it. */
  upTo: number
}

const prefix = 'filesCleared|'
/** Never a person's id. */
const everybody = '*'

/** Remembers on this device for which chats a person cleared the files, and when. */
export function createClearingMarks({ database, now }: Pick<CommandContext, 'database' | 'now'>) {
  const opening = readDexie(database.messages.storageInstance)
  const openTable = async () => (await opening).table<ClearingMark, string>(noteTable)
  return {
    /** @param peerId the chat; all of them when absent */
    async record(peerId: string | undefined): Promise<void> {
      await (await openTable()).put({ id: prefix + (peerId ?? everybody), upTo: now() })
    },

    /** Does a message precede the last clearing of its chat's files? */
    async isCovered({
      peerId,
      orderedAt,
    }: Pick<MessageDocument, 'peerId' | 'orderedAt'>): Promise<boolean> {
      const marks = await (await openTable()).bulkGet([prefix + peerId, prefix + everybody])
      return marks.some((mark) => mark !== undefined && orderedAt <= mark.upTo)
    },
  }
}
