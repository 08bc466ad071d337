import type { MessageDocument } from '../../../schema/message.ts'

/**
 * Was it refused because the customer's 24 hours were over? Then a template can still carry its
 * text.
 */
export function isWindowRefusal(
  message: Pick<MessageDocument, 'status' | 'errorCode' | 'deletedAt'>,
): boolean {
  return (
    message.status === 'failed' &&
    message.errorCode === 'whatsapp_window_closed' &&
    message.deletedAt === undefined
  )
}
