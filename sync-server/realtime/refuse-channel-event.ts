import { type ApiErrorCode, apiErrors } from '../../schema/api/api-error.ts'
import type { ServerEvent } from '../../schema/api/socket-events.ts'
import type { Connection } from './connections.ts'
import type { ChannelEvent } from './event-handler.ts'

/** Answers a device whose event the business channel refuses, like a REST call. */
export function refuseChannelEvent(
  connection: Connection,
  heard: ChannelEvent,
  refusal: { code: string | number; error: string; messageId?: string } = describe(
    'whatsapp_not_configured',
  ),
) {
  connection.send(JSON.stringify(makeAnswer(heard, refusal)))
}

function describe(code: ApiErrorCode) {
  return { code, error: apiErrors[code].error }
}

function makeAnswer(
  heard: ChannelEvent,
  { code, error, messageId }: { code: string | number; error: string; messageId?: string },
): ServerEvent {
  if (heard.event !== 'send-whatsapp-message') {
    const { data } = heard
    return {
      event: 'whatsapp-contact',
      data: {
        phoneNumber: 'phoneNumber' in data ? data.phoneNumber : null,
        conversationId: 'conversationId' in data ? data.conversationId : null,
        contactId: null,
        windowExpiresAt: null,
      },
    }
  }
  const { clientMessageId } = heard.data
  return {
    event: 'whatsapp-status-update',
    data: {
      messageId: messageId ?? null,
      ...(clientMessageId !== undefined && { clientMessageId }),
      whatsapp_message_id: null,
      status: 'failed',
      timestamp: new Date().toISOString(),
      error,
      code,
    },
  }
}
