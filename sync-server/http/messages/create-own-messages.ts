import pLimit from 'p-limit'
import type { ConversationDocument } from '../../../schema/conversation.ts'
import { idPattern } from '../../../schema/id.ts'
import { isAccepted, isDiscarded, type MessageDocument } from '../../../schema/message.ts'
import type { Storage } from '../../storage/create-storage.ts'
import { nameConversationsDatabase, nameMessagesDatabase } from '../../storage/database-names.ts'
import { RequestRefused } from '../request-refused.ts'

export type OwnMessages = ReturnType<typeof createOwnMessages>

const copiesAtOnce = 1_000
/** Reading all that somebody has takes a second for 50,000 messages: two at a time leave room for what is urgent. */
const scansAtOnce = 2

/** Reads a person's own copies. Whose they are follows from the caller's token alone (P8). */
export function createOwnMessages({ storage }: { storage: Storage }) {
  const scanning = pLimit(scansAtOnce)
  const open = (ownerId: string) => storage.database<MessageDocument>(nameMessagesDatabase(ownerId))

  async function findStored(ownerId: string, id: string): Promise<MessageDocument | undefined> {
    if (!idPattern.test(id)) return undefined
    return (await open(ownerId).read([id])).get(id)
  }

  /** All copies, in pages, in no order that means anything. */
  async function* readPages(ownerId: string): AsyncGenerator<MessageDocument[]> {
    for (let after = ''; ; ) {
      const page = await open(ownerId).range({ startkey: after, limit: copiesAtOnce })
      yield page
      const last = page.at(-1)
      if (!last || page.length < copiesAtOnce) return
      after = `${last._id}\0`
    }
  }

  return {
    readPages,
    findStored,

    /** @throws RequestRefused `message_not_found`, also for what cannot be any message's id */
    async find(ownerId: string, id: string): Promise<MessageDocument> {
      const message = await findStored(ownerId, id)
      if (!message || isDiscarded(message)) throw new RequestRefused('message_not_found')
      return message
    },

    read: (ownerId: string, ids: readonly string[]) => open(ownerId).read(ids),

    /** The `limit` newest that `isWanted`, newest first. What was cleared, or never sent, is not there. */
    scan(
      ownerId: string,
      wanted: { isWanted: (message: MessageDocument) => boolean; limit: number },
    ): Promise<MessageDocument[]> {
      return scanning(async () => {
        const clearedUpTo = await readClearedMarks(storage, ownerId)
        const isShown = (message: MessageDocument) =>
          isAccepted(message) && message.orderedAt > (clearedUpTo.get(message.peerId) ?? 0)
        let found: MessageDocument[] = []
        for await (const page of readPages(ownerId)) {
          const hits = page.filter((message) => isShown(message) && wanted.isWanted(message))
          if (hits.length > 0) found = [...found, ...hits].sort(byNewest).slice(0, wanted.limit)
        }
        return found
      })
    },
  }
}

function byNewest(a: MessageDocument, b: MessageDocument): number {
  return b.orderedAt - a.orderedAt || (a._id < b._id ? 1 : -1)
}

async function readClearedMarks(storage: Storage, ownerId: string): Promise<Map<string, number>> {
  const name = nameConversationsDatabase(ownerId)
  const conversations = await storage.database<ConversationDocument>(name).range({})
  return new Map(conversations.map(({ _id, clearedUpTo }) => [_id, clearedUpTo]))
}
