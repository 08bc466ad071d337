import type { AccountDocument } from '../../access/account-documents.ts'
import type { Accounts } from '../../access/accounts.ts'
import type { WhatsAppSettings } from '../client/whatsapp-settings.ts'
import type { ContactIdentity } from '../customers/contact-identity.ts'
import type { ContactPlace, Contacts } from '../customers/contacts.ts'
import type { MessageIndex } from './message-index.ts'

export type Operators = ReturnType<typeof createOperators>

/** Has the account linked WhatsApp? Only then may it use the channel. */
function isLinked(account: AccountDocument): boolean {
  return Boolean(account.wa_id || account.phone_number_id)
}

/**
 * Maps business numbers to their operators. Only the number's own id routes, which was checked at
 * linking: unverified phone numbers route nothing.
 */
export function createOperators(options: {
  accounts: Accounts
  contacts: Contacts
  index: MessageIndex
  settings: Pick<WhatsAppSettings, 'phoneNumberId' | 'inboxUserId' | 'operatorIds'>
  /** The default number's digits, once known. */
  readDisplayNumber: () => string | null
}) {
  const { accounts, contacts, index, settings, readDisplayNumber } = options
  const { operatorIds } = settings

  /** Only those that the settings name, where they name some. */
  const isPermitted = (userId: string) => operatorIds?.includes(userId) ?? true

  return {
    isPermitted,
    /** May this person take over a number from its last operator? Only the settings say so. */
    mayTakeOver: (userId: string) => operatorIds?.includes(userId) ?? false,

    /** The number that a person writes over; null without a link. */
    async findPlace(ownerId: string): Promise<ContactPlace | null> {
      const account = await accounts.find(ownerId)
      if (!account || !isLinked(account) || !isPermitted(ownerId)) return null
      const { phone_number_id: own, phone_number } = account
      if (own) return { ownerId, phoneNumberId: own, displayPhoneNumber: phone_number ?? null }
      const { phoneNumberId } = settings
      return { ownerId, phoneNumberId, displayPhoneNumber: readDisplayNumber() }
    },

    /** The number that a person operates. */
    findOwnNumber: async (ownerId: string): Promise<string | undefined> =>
      (await accounts.find(ownerId))?.phone_number_id,

    /**
     * The owner of an incoming message: the number's operator; else the author of the quoted
     * message; else the last to write to that person over this number; else the inbox's owner, on
     * the default number.
     */
    async route(item: {
      phoneNumberId: string
      person: ContactIdentity
      replyTo: string | null
    }): Promise<string | undefined> {
      const { phoneNumberId, person, replyTo } = item
      const operator = await accounts.findByNumberId(phoneNumberId)
      if (operator && isPermitted(operator.userId)) return operator.userId
      const answered = replyTo === null ? undefined : await index.find(phoneNumberId, replyTo)
      const isHere = async (userId: string | undefined) =>
        userId !== undefined && (await accounts.find(userId)) ? userId : undefined
      const isIn = async (userId: string | undefined) =>
        userId !== undefined && isPermitted(userId) ? await isHere(userId) : undefined
      const writer =
        person.waId === null ? undefined : await contacts.findWriter(phoneNumberId, person.waId)
      const isDefault = phoneNumberId === settings.phoneNumberId
      return (
        (await isIn(answered?.ownerId)) ??
        (await isIn(writer)) ??
        (isDefault ? await isHere(settings.inboxUserId) : undefined)
      )
    },
  }
}
