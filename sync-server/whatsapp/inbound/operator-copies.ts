import { newConversation } from '../../../schema/conversation.ts'
import { type MessageDocument, messageDocument } from '../../../schema/message.ts'
import { retryOvertaken } from '../../lib/retry-overtaken.ts'
import type { Acceptance } from '../../messages/message-acceptance.ts'
import { nameMessagesDatabase } from '../../storage/documents/database-names.ts'
import type { Storage } from '../../storage/storage.ts'
import type { ContactDocument } from '../customers/contact-documents.ts'
import type { Contacts } from '../customers/contacts.ts'
import { describeConversation } from '../customers/present-contact.ts'

export type OperatorCopies = ReturnType<typeof createOperatorCopies>

const overtaken = {
  tries: 8,
  giveUp: () => new Error('a message changed under every try to write it'),
}

/**
 * Writes the provider's messages and statuses into the operator's databases, through the one way in
 * (P4). Serialises changes of one message, so that none uses an old version; repeats one that
 * another server preceded.
 * @param now epoch ms
 */
export function createOperatorCopies(options: {
  storage: Storage
  acceptance: Pick<Acceptance, 'acceptMessages' | 'acceptConversations'>
  contacts: Contacts
  now: () => number
}) {
  const { storage, acceptance, contacts, now } = options
  const turns = new Map<string, Promise<unknown>>()

  async function inTurn<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const before = turns.get(key) ?? Promise.resolve()
    const own = before.then(work, work)
    turns.set(key, own)
    try {
      return await own
    } finally {
      if (turns.get(key) === own) turns.delete(key)
    }
  }

  async function read(ownerId: string, messageId: string): Promise<MessageDocument | undefined> {
    const database = storage.database<MessageDocument>(nameMessagesDatabase(ownerId))
    const found = (await database.read([messageId])).get(messageId)
    return found && messageDocument.parse(found)
  }

  async function write(ownerId: string, message: MessageDocument) {
    const proposals = [
      { id: message._id, raw: { ...message }, isDeleted: false, isFromProvider: true },
    ]
    const [outcome] = await acceptance.acceptMessages({ actorId: ownerId, proposals })
    if (outcome?.kind !== 'stored') throw new Error('what the provider said was not stored')
    return { message: outcome.doc, isNew: outcome.isNew, isTaken: outcome.isTaken }
  }

  return {
    read,

    /** Creates a message once: repeats change nothing. */
    create: (ownerId: string, message: MessageDocument) =>
      inTurn(message._id, async () => {
        const before = await read(ownerId, message._id)
        if (before) return { message: before, isNew: false }
        const { message: stored, isNew } = await write(ownerId, { ...message, providerVersion: 1 })
        return { message: stored, isNew }
      }),

    /**
     * Changes a message.
     * @param change returns null when there is nothing to change; may run several times
     * @returns the resulting message, and whether it changed; undefined if it does not exist
     */
    change: (
      ownerId: string,
      messageId: string,
      change: (stored: MessageDocument) => MessageDocument | null,
    ) =>
      inTurn(messageId, () =>
        retryOvertaken(async () => {
          const before = await read(ownerId, messageId)
          if (!before) return undefined
          const next = change(before)
          if (next === null) return { message: before, isChanged: false }
          const providerVersion = (before.providerVersion ?? 0) + 1
          const { message, isTaken } = await write(ownerId, { ...next, providerVersion })
          return isTaken ? { message, isChanged: true } : 'again'
        }, overtaken),
      ),

    /** Updates the contact's description in the operator's conversation, if it changed. */
    async tellConversation(contact: ContactDocument): Promise<void> {
      const { ownerId, contactId } = contact
      const said = describeConversation(contact)
      const told = JSON.stringify(said)
      if (contact.told === told) return
      const raw = { ...newConversation(contactId), ...said, whatsAppAt: now() }
      const proposals = [{ id: contactId, raw, isDeleted: false, isFromProvider: true }]
      await acceptance.acceptConversations({ actorId: ownerId, proposals })
      await contacts.change(ownerId, contactId, (before) => ({ ...before, told }))
    },
  }
}
