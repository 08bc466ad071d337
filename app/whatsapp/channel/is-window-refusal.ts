import type { MessageDocument } from '../../../schema/message.ts'

/** Was it refused because the customer had been silent for 24 hours? Then its words can still leave in a template. */
export function isWindowRefusal(
  message: Pick<MessageDocument, 'status' | 'errorCode' | 'deletedAt'>,
): boolean {
  return (
    message.status === 'failed' &&
    message.errorCode === 'whatsapp_window_closed' &&
    message.deletedAt === undefined
  )
}
