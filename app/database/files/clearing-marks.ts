import type { MessageDocument } from '../../../schema/message.ts'
import type { CommandContext } from '../storage/command-context.ts'
import { noteTable } from '../storage/dexie/accompany-writes.ts'
import { readDexie } from '../storage/dexie/owed-notes.ts'

interface ClearingMark {
  id: string
  /** An `orderedAt`: messages up to it are meant. */
  upTo: number
}

const prefix = 'filesCleared|'
/** No person's id. */
const everybody = '*'

/** Remembers on this device of which chats a person has cleared the files, and when. */
export function createClearingMarks({ database, now }: Pick<CommandContext, 'database' | 'now'>) {
  const opening = readDexie(database.messages.storageInstance)
  const openTable = async () => (await opening).table<ClearingMark, string>(noteTable)
  return {
    /** @param peerId the chat; without one it is all of them */
    async record(peerId: string | undefined): Promise<void> {
      await (await openTable()).put({ id: prefix + (peerId ?? everybody), upTo: now() })
    },

    /** Is a message from before its chat's files were cleared? */
    async isCovered({
      peerId,
      orderedAt,
    }: Pick<MessageDocument, 'peerId' | 'orderedAt'>): Promise<boolean> {
      const marks = await (await openTable()).bulkGet([prefix + peerId, prefix + everybody])
      return marks.some((mark) => mark !== undefined && orderedAt <= mark.upTo)
    },
  }
}
