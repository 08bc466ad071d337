import * as z from 'zod/mini'
import {
  newWhatsAppContact,
  whatsAppChannel,
  whatsAppContact,
} from '../../schema/api/whatsapp-link.ts'
import type { Channel } from '../whatsapp/channel.ts'
import { presentWhatsAppContact } from '../whatsapp/customers/present-contact.ts'
import { RequestRefused } from './core/request-refused.ts'
import { defineRoute, type Route } from './core/route.ts'

/** An operator's customers, and the number that the operator writes from. */
export function createContactRoutes({ channel }: { channel: Channel | undefined }): Route[] {
  return [
    defineRoute({
      method: 'get',
      path: '/users/me/whatsapp',
      access: 'signed-in',
      summary: 'What the business channel of this server is, and your number on it.',
      status: 200,
      answer: whatsAppChannel,
      async handle({ caller: { userId } }) {
        const place = await channel?.operators.findPlace(userId)
        return {
          isOn: channel !== undefined,
          isSandbox: channel?.isSandbox ?? false,
          phone_number_id: place?.phoneNumberId ?? null,
          display_phone_number: place?.displayPhoneNumber ?? null,
          isWindowEnforced: channel?.settings.isWindowEnforced ?? true,
        }
      },
    }),

    defineRoute({
      method: 'post',
      path: '/users/contacts',
      access: 'signed-in',
      summary: 'Begins a conversation with a phone number over WhatsApp, where there is none yet.',
      body: newWhatsAppContact,
      status: 201,
      otherStatuses: { 200: 'There is a contact with this number: it is the answer.' },
      answer: whatsAppContact,
      errors: ['whatsapp_not_configured', 'whatsapp_not_linked'],
      async handle({ caller: { userId: ownerId }, body, response }) {
        const { phone_number: phone, whatsapp_name } = body
        const { calls } = requireChannel(channel)
        const name = whatsapp_name || null
        const { contact, isNew } = await calls.addContact({ ownerId, phone, name })
        if (!isNew) response.status(200)
        return presentWhatsAppContact(contact)
      },
    }),

    defineRoute({
      method: 'get',
      path: '/users/contacts/{id}',
      access: 'signed-in',
      summary: 'One of your WhatsApp contacts, and until when anything may be written to them.',
      params: z.object({ id: z.string() }),
      status: 200,
      answer: whatsAppContact,
      errors: ['whatsapp_not_configured', 'user_not_found'],
      async handle({ caller: { userId }, params: { id } }) {
        const contact = await requireChannel(channel).contacts.find(userId, id)
        if (!contact) throw new RequestRefused('user_not_found')
        return presentWhatsAppContact(contact)
      },
    }),
  ]
}

/** @throws RequestRefused `whatsapp_not_configured` */
export function requireChannel(channel: Channel | undefined): Channel {
  if (!channel) throw new RequestRefused('whatsapp_not_configured')
  return channel
}
