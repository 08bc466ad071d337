import type { WhatsAppContact } from '../../../schema/api/whatsapp-link.ts'
import type { ConversationDocument } from '../../../schema/conversation.ts'
import { limits } from '../../../schema/limits.ts'
import type { PublicUser } from '../../../schema/user.ts'
import { listPhoneVariants } from '../../access/account-documents.ts'
import { toIsoOrNull } from '../../lib/to-iso.ts'
import type { ContactDocument } from './contact-documents.ts'

const hiddenName = 'WhatsApp user'

/** A person's display name: their name, else their number, else their username. */
export function nameOfContact({ name, waId, phone, username }: ContactDocument): string {
  const number = waId ?? phone
  return name || (number ? `+${number}` : username) || hiddenName
}

/** Our own conversation id: WhatsApp's changes with each message. */
export function nameConversation(contact: ContactDocument): string {
  const { phoneNumberId, waId, phone, userId, contactId } = contact
  return `wa:${phoneNumberId}:${waId ?? phone ?? userId ?? contactId}`
}

/** A customer in the form of a person, for their operator. */
export function presentContact(contact: ContactDocument): PublicUser {
  const { contactId, waId, phone, name, createdAt } = contact
  const number = waId ?? phone
  return {
    _id: contactId,
    username: nameOfContact(contact),
    status: '',
    profilePicture: null,
    isOnline: false,
    lastSeen: null,
    createdAt: new Date(createdAt).toISOString(),
    ...(number !== null && { wa_id: number, phone_number: findCurrentNumber(contact) ?? number }),
    ...(name && { whatsapp_name: name }),
    whatsapp_connected: true,
    isWhatsAppContact: true,
  }
}

export function presentWhatsAppContact(contact: ContactDocument): WhatsAppContact {
  return {
    ...presentContact(contact),
    conversationId: nameConversation(contact),
    phone_number_id: contact.phoneNumberId,
    windowExpiresAt: toIsoOrNull(findWindowEnd(contact) ?? 0),
  }
}

/** Until when free messages to them are allowed, epoch ms; null if they never wrote. */
export function findWindowEnd({ lastInboundAt }: ContactDocument): number | null {
  return lastInboundAt === 0 ? null : lastInboundAt + limits.whatsAppWindowMs
}

/** The operator's conversation's description of them. */
export function describeConversation(
  contact: ContactDocument,
): Pick<
  ConversationDocument,
  'whatsapp_conversation_id' | 'phone_number_id' | 'display_phone_number' | 'contacts'
> {
  const { phoneNumberId, displayPhoneNumber, waId, phone, userId, username } = contact
  const number = waId ?? phone
  return {
    whatsapp_conversation_id: nameConversation(contact),
    phone_number_id: phoneNumberId,
    ...(displayPhoneNumber !== null && { display_phone_number: displayPhoneNumber }),
    contacts: [
      {
        profile: { name: nameOfContact(contact), ...(username !== null && { username }) },
        ...(number !== null && { wa_id: number }),
        ...(userId !== null && { user_id: userId }),
      },
    ],
  }
}

/**
 * The number to write to: as typed, because WhatsApp converts that form itself, unless WhatsApp
 * names another one by now; somebody else may have the old one. Null for a hidden number.
 */
export function findCurrentNumber({
  phone,
  waId,
}: Pick<ContactDocument, 'phone' | 'waId'>): string | null {
  if (phone === null || waId === null) return phone ?? waId
  const isSame =
    phone === waId ||
    listPhoneVariants(phone).includes(waId) ||
    listPhoneVariants(waId).includes(phone)
  return isSame ? phone : waId
}
