import { LRUCache } from 'lru-cache'
import { atMost } from '../../lib/at-most.ts'
import type { GraphClient } from '../client/graph-client.ts'
import type { WhatsAppSettings } from '../client/whatsapp-settings.ts'
import type { Contacts } from './contacts.ts'
import { findWindowEnd } from './present-contact.ts'

const remembered = 20_000

const typingEveryMs = 20_000

/** Sends customers read marks and typing indicators. Best effort: nothing of ours depends on it. */
export function createConversationSignals(options: {
  client: GraphClient
  contacts: Contacts
  settings: Pick<WhatsAppSettings, 'isTypingSent'>
  now: () => number
  onError: (error: unknown) => void
}) {
  const { client, contacts, settings, now, onError } = options
  const marked = new LRUCache<string, true>(atMost(remembered))
  const typedAt = new LRUCache<string, number>(atMost(remembered))

  return {
    /** The operator has read up to that place. */
    recordRead(ownerId: string, contactId: string, readUpTo: number) {
      const mark = async () => {
        const contact = await contacts.find(ownerId, contactId)
        const newest = contact?.lastInbound
        if (!contact || !newest || newest.orderedAt > readUpTo || marked.has(newest.wamid)) return
        marked.set(newest.wamid, true)
        const { phoneNumberId } = contact
        if (!(await markAsRead(client, { phoneNumberId, wamid: newest.wamid }))) {
          marked.delete(newest.wamid)
        }
      }
      mark().catch(onError)
    },

    /** The operator blocks or unblocks them. */
    recordBlocked(ownerId: string, contactId: string, isBlocked: boolean) {
      const tell = async () => {
        const contact = await contacts.find(ownerId, contactId)
        const phone = contact?.waId ?? contact?.phone
        if (!contact || !phone) return
        const { phoneNumberId } = contact
        await blockContact(client, { phoneNumberId, phone, isBlocked })
      }
      tell().catch(onError)
    },

    /** The operator types. Marks as read too: WhatsApp's typing includes it. */
    recordTyping(ownerId: string, contactId: string) {
      if (!settings.isTypingSent) return
      const key = `${ownerId} ${contactId}`
      if (now() - (typedAt.get(key) ?? Number.NEGATIVE_INFINITY) < typingEveryMs) return
      const tell = async () => {
        const contact = await contacts.find(ownerId, contactId)
        const newest = contact?.lastInbound
        if (!contact || !newest || now() >= (findWindowEnd(contact) ?? 0)) return
        typedAt.set(key, now())
        const { phoneNumberId } = contact
        await markAsRead(client, { phoneNumberId, wamid: newest.wamid, isTyping: true })
      }
      tell().catch(onError)
    },
  }
}

/**
 * Makes WhatsApp block a person's messages, or allow them again. WhatsApp only accepts people who
 * wrote in the last 24 hours: our own block does not depend on it.
 * @returns whether WhatsApp accepted
 */
export async function blockContact(
  client: GraphClient,
  block: { phoneNumberId: string; phone: string; isBlocked: boolean },
): Promise<boolean> {
  const answer = await client.call({
    method: block.isBlocked ? 'POST' : 'DELETE',
    path: `${encodeURIComponent(block.phoneNumberId)}/block_users`,
    json: {
      messaging_product: 'whatsapp',
      block_users: [{ user: `+${block.phone.replaceAll(/\D/g, '')}` }],
    },
  })
  return answer.kind === 'ok'
}

/**
 * Marks a person's message, and all before it, as read; `isTyping` also shows a typing indicator.
 * Best effort: nothing of ours depends on it.
 * @returns whether WhatsApp accepted
 */
export async function markAsRead(
  client: GraphClient,
  mark: { phoneNumberId: string; wamid: string; isTyping?: boolean },
): Promise<boolean> {
  const { phoneNumberId, wamid, isTyping = false } = mark
  const answer = await client.call({
    method: 'POST',
    path: `${encodeURIComponent(phoneNumberId)}/messages`,
    json: {
      messaging_product: 'whatsapp',
      status: 'read',
      message_id: wamid,
      ...(isTyping && { typing_indicator: { type: 'text' } }),
    },
  })
  return answer.kind === 'ok'
}
