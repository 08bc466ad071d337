import { describeError } from '../../schema/api/api-error.ts'
import type { ServerEvent } from '../../schema/api/socket-events.ts'
import { RequestRefused } from '../http/core/request-refused.ts'
import type { Connection } from '../realtime/connections.ts'
import type { ChannelEvent } from '../realtime/event-handler.ts'
import { refuseChannelEvent } from '../realtime/refuse-channel-event.ts'
import type { Channel } from './channel.ts'
import type { ContactDocument } from './customers/contact-documents.ts'
import { presentWhatsAppContact } from './customers/present-contact.ts'

/** Executes a device's request to the channel, like a REST call, and answers it. */
export async function handleChannelEvent(
  channel: Pick<Channel, 'calls' | 'contacts'>,
  connection: Connection,
  heard: ChannelEvent,
): Promise<void> {
  try {
    if (heard.event === 'send-whatsapp-message') await send(channel, connection, heard.data)
    else await answer(channel, connection, heard)
  } catch (cause) {
    if (!(cause instanceof RequestRefused)) {
      refuseChannelEvent(connection, heard, {
        code: 'internal_error',
        error: describeError('internal_error').error,
      })
      throw cause
    }
    const { reason: code, message: error, messageId } = cause
    refuseChannelEvent(connection, heard, { code, error, ...(messageId && { messageId }) })
  }
}

async function send(
  { calls }: Pick<Channel, 'calls'>,
  connection: Connection,
  data: Extract<ChannelEvent, { event: 'send-whatsapp-message' }>['data'],
) {
  const { phoneNumber: to, message, type, clientMessageId } = data
  const { userId: ownerId } = connection.caller
  const sent = await calls.send({ ownerId, to, type, message, messageId: clientMessageId })
  const { _id: messageId, status, whatsapp_message_id = null } = sent.message
  tell(connection, {
    event: 'whatsapp-status-update',
    data: {
      messageId,
      whatsapp_message_id,
      status: status === 'sending' ? 'sent' : status,
      ...(clientMessageId !== undefined && { clientMessageId }),
      timestamp: new Date().toISOString(),
      error: null,
      code: null,
    },
  })
}

async function answer(
  channel: Pick<Channel, 'calls' | 'contacts'>,
  connection: Connection,
  { data }: Exclude<ChannelEvent, { event: 'send-whatsapp-message' }>,
) {
  const contact = await findContact(channel, connection.caller.userId, data)
  const shown = contact && presentWhatsAppContact(contact)
  tell(connection, {
    event: 'whatsapp-contact',
    data: {
      phoneNumber: 'phoneNumber' in data ? data.phoneNumber : null,
      conversationId: shown?.conversationId ?? null,
      contactId: shown?._id ?? null,
      windowExpiresAt: shown?.windowExpiresAt ?? null,
    },
  })
}

/** One of the caller's own contacts: does not even reveal that anybody else's exists. */
async function findContact(
  { calls }: Pick<Channel, 'calls'>,
  ownerId: string,
  data: { phoneNumber: string } | { conversationId: string },
): Promise<ContactDocument | undefined> {
  const named = 'phoneNumber' in data ? data.phoneNumber : data.conversationId.split(':')[2]
  const contact = await calls.findByPhone(ownerId, (named ?? '').replaceAll(/\D/g, ''))
  if (!contact || 'phoneNumber' in data) return contact
  return presentWhatsAppContact(contact).conversationId === data.conversationId
    ? contact
    : undefined
}

function tell(connection: Connection, event: ServerEvent) {
  connection.send(JSON.stringify(event))
}
