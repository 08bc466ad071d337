import {
  type MessageAnswer,
  type MessageParty,
  shownFields,
} from '../../../schema/api/message-answer.ts'
import { withoutHidden } from '../../../schema/blank-deleted.ts'
import type { ConversationDocument } from '../../../schema/conversation.ts'
import { isEdited, isIncoming, isSticker, type MessageDocument } from '../../../schema/message.ts'
import { deriveStatus, deriveStatusHistory } from '../../../schema/peer-marks.ts'
import { listAllReactions } from '../../../schema/reaction.ts'
import { deletedUserName } from '../../../schema/user.ts'
import type { AccountDocument } from '../../access/account-documents.ts'
import type { Accounts } from '../../access/accounts.ts'
import type { Privacy } from '../../access/privacy.ts'
import { toIso } from '../../lib/to-iso.ts'
import { nameConversationsDatabase } from '../../storage/documents/database-names.ts'
import type { Storage } from '../../storage/storage.ts'
import type { Contacts } from '../../whatsapp/customers/contacts.ts'
import { presentContact } from '../../whatsapp/customers/present-contact.ts'

type Shown = Pick<
  AccountDocument,
  'username' | 'profilePicture' | 'phone_number' | 'wa_id' | 'whatsapp_name'
>
type People = ReadonlyMap<string, Shown>

export type MessagePresenter = ReturnType<typeof createMessagePresenter>

/** Builds the API's view of a person's own copies: with both people and the person's read state. */
export function createMessagePresenter(options: {
  accounts: Accounts
  contacts: Pick<Contacts, 'findAll'>
  storage: Storage
  privacy: Pick<Privacy, 'readViews'>
}) {
  const { accounts, contacts, storage, privacy } = options

  /**
   * The caller's conversations by the other person's id: their marks give each message's status.
   */
  async function readConversations(ownerId: string, messages: readonly MessageDocument[]) {
    const name = nameConversationsDatabase(ownerId)
    const peerIds = new Set(messages.map(({ peerId }) => peerId))
    const found = await storage.database<ConversationDocument>(name).read([...peerIds])
    return found
  }

  /** Both people of messages; includes the viewer's contacts on a business channel. */
  async function readPeople(viewerId: string, userIds: readonly string[]): Promise<People> {
    const ids = [...new Set(userIds)]
    const [accountsFound, views] = await Promise.all([
      accounts.findAll(ids),
      privacy.readViews(viewerId, ids),
    ])
    const found = [...accountsFound].map(
      ([id, account]) =>
        [id, views.get(id)?.picture ? account : { ...account, profilePicture: null }] as const,
    )
    const others = ids.filter((id) => !accountsFound.has(id))
    if (others.length === 0) return new Map<string, Shown>(found)
    const ofChannel = await contacts.findAll(viewerId, others)
    const shown = [...ofChannel.values()].map(
      (one) => [one.contactId, presentContact(one)] as const,
    )
    return new Map<string, Shown>([...found, ...shown])
  }

  /** Keeps the given order. */
  async function presentAll(
    ownerId: string,
    messages: readonly MessageDocument[],
  ): Promise<MessageAnswer[]> {
    const ids = messages.flatMap(({ senderId, recipientId }) => [senderId, recipientId])
    const [people, conversations] = await Promise.all([
      readPeople(ownerId, ids),
      readConversations(ownerId, messages),
    ])
    return messages.map((message) =>
      presentMessage(withoutHidden(message), {
        ownerId,
        people,
        conversation: conversations.get(message.peerId),
      }),
    )
  }

  return {
    presentAll,
    readPeople,
    /** The caller's own new message: nobody has received it yet. */
    presentNew: (message: MessageDocument, people: People) =>
      presentMessage(message, { ownerId: message.senderId, people, conversation: undefined }),
    async presentOne(ownerId: string, message: MessageDocument): Promise<MessageAnswer> {
      const [shown] = await presentAll(ownerId, [message])
      if (!shown) throw new Error('a message was not presented')
      return shown
    },
    /** When a message reached each state, oldest first. */
    async presentHistory(ownerId: string, message: MessageDocument) {
      const conversations = await readConversations(ownerId, [message])
      const history = deriveStatusHistory(message, conversations.get(message.peerId), ownerId)
      return history.map(({ status, timestamp }) => ({ status, timestamp: toIso(timestamp) }))
    },
  }
}

function presentMessage(
  message: MessageDocument,
  seen: {
    ownerId: string
    people: People
    conversation: ConversationDocument | undefined
  },
): MessageAnswer {
  const { editedAt, deletedAt, orderedAt } = message
  const isRead =
    isIncoming(message, seen.ownerId) && orderedAt <= (seen.conversation?.readUpTo ?? 0)
  return {
    ...pickShown(message),
    ...(isSticker(message) && { isSticker: true }),
    status: isRead ? 'read' : deriveStatus(message, seen.conversation, seen.ownerId),
    _id: message._id,
    sender: presentParty(message.senderId, seen.people),
    recipient: presentParty(message.recipientId, seen.people),
    createdAt: toIso(message.createdAt),
    orderedAt: toIso(message.orderedAt),
    ...(isEdited(message) && editedAt !== undefined ? { editedAt: toIso(editedAt) } : {}),
    ...(deletedAt === undefined ? {} : { deletedAt: toIso(deletedAt) }),
    ...presentReactions(message),
  }
}

function presentReactions({ reactions }: MessageDocument): Pick<MessageAnswer, 'reactions'> {
  const shown = listAllReactions(reactions)
  if (shown.length === 0) return {}
  return {
    reactions: shown.map(({ at, ...reaction }) => ({ ...reaction, reactedAt: toIso(at) })),
  }
}

function pickShown(message: MessageDocument): Pick<MessageDocument, keyof typeof shownFields> {
  const shown = Object.entries(message).filter(([field]) => field in shownFields)
  return Object.fromEntries(shown) as Pick<MessageDocument, keyof typeof shownFields>
}

export function presentParty(userId: string, people: People): MessageParty {
  const account = people.get(userId)
  if (!account) return { _id: userId, username: deletedUserName, profilePicture: null }
  const { username, profilePicture, phone_number, wa_id, whatsapp_name } = account
  return {
    _id: userId,
    username,
    profilePicture,
    ...(phone_number === undefined ? {} : { phone_number }),
    ...(wa_id === undefined ? {} : { wa_id }),
    ...(whatsapp_name === undefined ? {} : { whatsapp_name }),
  }
}
