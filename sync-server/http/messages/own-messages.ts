import type { ConversationDocument } from '../../../schema/conversation.ts'
import { idPattern } from '../../../schema/id.ts'
import { isAccepted, isDiscarded, type MessageDocument } from '../../../schema/message.ts'
import type { FairQueue } from '../../budget/fair-queue.ts'
import { byNewest } from '../../messages/digests/digests.ts'
import {
  nameConversationsDatabase,
  nameMessagesDatabase,
} from '../../storage/documents/database-names.ts'
import type { Storage } from '../../storage/storage.ts'
import { RequestRefused } from '../core/request-refused.ts'
import { createPage, type Page } from './answer-page.ts'

export type OwnMessages = ReturnType<typeof createOwnMessages>

/** How many copies to read in one turn: more when they are short. */
const copiesAtOnce = { first: 32, most: 100, characters: 256 * 1024 }

/**
 * Reads a person's own copies, as the caller's token alone determines (P8).
 * @param scans the queue for scans of all of a person's copies
 */
export function createOwnMessages(options: { storage: Storage; scans: FairQueue }) {
  const { storage, scans } = options
  const open = (ownerId: string) => storage.database<MessageDocument>(nameMessagesDatabase(ownerId))

  async function findStored(ownerId: string, id: string): Promise<MessageDocument | undefined> {
    if (!idPattern.test(id)) return undefined
    return (await open(ownerId).read([id])).get(id)
  }

  /** All copies, in pages, in no meaningful order. */
  async function* readPages(ownerId: string): AsyncGenerator<MessageDocument[]> {
    for (let after = '', limit = copiesAtOnce.first; ; ) {
      const page = await open(ownerId).range({ startkey: after, limit })
      yield page
      const last = page.at(-1)
      if (!last || page.length < limit) return
      after = `${last._id}\0`
      limit = countNext(page)
    }
  }

  /** All visible copies: neither cleared nor hidden, and sent at some time. */
  async function* readShown(ownerId: string): AsyncGenerator<MessageDocument[]> {
    const clearedUpTo = await readClearedMarks(storage, ownerId)
    for await (const page of readPages(ownerId)) {
      yield page.filter(
        (message) =>
          isAccepted(message) &&
          !message.isHidden &&
          message.orderedAt > (clearedUpTo.get(message.peerId) ?? 0),
      )
    }
  }

  return {
    findStored,

    /** All copies, a page at a time, in no meaningful order. */
    walk: (ownerId: string, signal: AbortSignal | undefined) =>
      scans.walk({ key: ownerId, signal }, readPages(ownerId)),

    /** @throws RequestRefused `message_not_found`, also for an invalid id */
    async find(ownerId: string, id: string): Promise<MessageDocument> {
      const message = await findStored(ownerId, id)
      if (!message || isDiscarded(message)) throw new RequestRefused('message_not_found')
      return message
    },

    read: (ownerId: string, ids: readonly string[]) => open(ownerId).read(ids),

    /** The newest `limit` that are `isWanted`, newest first, without cleared or never sent ones. */
    async scan(
      ownerId: string,
      wanted: {
        isWanted: (message: MessageDocument) => boolean
        limit: number
        signal: AbortSignal
      },
    ): Promise<Page> {
      const { isWanted, limit, signal } = wanted
      const found = createPage({ limit, compare: byNewest })
      for await (const page of scans.walk({ key: ownerId, signal }, readShown(ownerId))) {
        found.add(page.filter(isWanted))
      }
      return found.read()
    },
  }
}

function countNext(page: readonly MessageDocument[]): number {
  const characters = page.reduce(
    (sum, { content, sealed = '' }) => sum + content.length + sealed.length,
    0,
  )
  const fitting = Math.floor((copiesAtOnce.characters * page.length) / Math.max(characters, 1))
  return Math.min(Math.max(fitting, copiesAtOnce.first), copiesAtOnce.most)
}

async function readClearedMarks(storage: Storage, ownerId: string): Promise<Map<string, number>> {
  const name = nameConversationsDatabase(ownerId)
  const conversations = await storage.database<ConversationDocument>(name).range({})
  return new Map(conversations.map(({ _id, clearedUpTo }) => [_id, clearedUpTo]))
}
