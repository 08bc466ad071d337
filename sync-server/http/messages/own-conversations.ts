import { type ConversationDocument, newConversation } from '../../../schema/conversation.ts'
import { idPattern } from '../../../schema/id.ts'
import type { Accounts } from '../../access/accounts.ts'
import type { Groups } from '../../groups/groups.ts'
import { retryOvertaken } from '../../lib/retry-overtaken.ts'
import type { Acceptance } from '../../messages/message-acceptance.ts'
import { nameConversationsDatabase } from '../../storage/documents/database-names.ts'
import type { Storage } from '../../storage/storage.ts'
import type { Contacts } from '../../whatsapp/customers/contacts.ts'
import { RequestRefused } from '../core/request-refused.ts'
import { throwRefusal } from './message-writer.ts'

export type OwnConversations = ReturnType<typeof createOwnConversations>

const overtaken = { tries: 5, giveUp: () => new RequestRefused('busy') }

/** Reads a person's own conversations, and changes them through the one way in (P4). */
export function createOwnConversations(options: {
  storage: Storage
  accounts: Accounts
  contacts: Pick<Contacts, 'find'>
  /** Undefined while there are none. */
  groups: Pick<Groups, 'findOwn' | 'listOwn' | 'listOver'> | undefined
  acceptConversations: Acceptance['acceptConversations']
}) {
  const { storage, accounts, contacts, groups, acceptConversations } = options
  const open = (ownerId: string) =>
    storage.database<ConversationDocument>(nameConversationsDatabase(ownerId))

  const findStored = async (ownerId: string, peerId: string) =>
    (await open(ownerId).read([peerId])).get(peerId)

  /**
   * The conversation with a person or in a group; a new one if there is none yet.
   * @throws RequestRefused `user_not_found` when that person cannot have one
   */
  async function find(ownerId: string, peerId: string): Promise<ConversationDocument> {
    if (!idPattern.test(peerId) || peerId === ownerId) throw new RequestRefused('user_not_found')
    const stored = await findStored(ownerId, peerId)
    if (stored) return stored
    const isKnown =
      (await accounts.find(peerId)) ??
      (await contacts.find(ownerId, peerId)) ??
      (await groups?.findOwn(ownerId, peerId))
    if (!isKnown) throw new RequestRefused('user_not_found')
    return newConversation(peerId)
  }

  /**
   * All of a person's conversations. One in a group is there from the moment when they come into
   * it, whether or not a device of theirs has begun it; in a group that is over it is not.
   */
  async function list(ownerId: string): Promise<ConversationDocument[]> {
    const stored = await open(ownerId).range({})
    if (!groups) return stored
    const own = (await groups.listOwn(ownerId)).map(({ groupId }) => groupId)
    const known = new Set(stored.map(({ _id }) => _id))
    const over = await groups.listOver(stored.map(({ _id }) => _id))
    return [
      ...stored.filter(({ _id }) => !over.has(_id)),
      ...own.filter((groupId) => !known.has(groupId)).map(newConversation),
    ]
  }

  return {
    find,
    /** Has this person a conversation with that one already? */
    has: async (ownerId: string, peerId: string): Promise<boolean> =>
      (await findStored(ownerId, peerId)) !== undefined,
    list,

    /**
     * @param sessionId the sign-in that asks
     * @param propose makes the wanted version from the stored one
     * @param isDone does the stored version have the change? Another change of the same millisecond
     * may have won
     * @throws RequestRefused `user_not_found`
     */
    async change(asked: {
      ownerId: string
      peerId: string
      sessionId?: string | undefined
      propose: (stored: ConversationDocument, now: number) => ConversationDocument
      isDone: (stored: ConversationDocument) => boolean
    }): Promise<ConversationDocument> {
      const { ownerId, peerId, sessionId } = asked
      return await retryOvertaken(async () => {
        const raw = { ...asked.propose(await find(ownerId, peerId), Date.now()) }
        const proposals = [{ id: peerId, raw, isDeleted: false }]
        const [outcome] = await acceptConversations({ actorId: ownerId, proposals, sessionId })
        if (outcome?.kind === 'heldBack') throwRefusal(outcome.refusal)
        return outcome?.kind === 'stored' && asked.isDone(outcome.doc) ? outcome.doc : 'again'
      }, overtaken)
    },
  }
}
