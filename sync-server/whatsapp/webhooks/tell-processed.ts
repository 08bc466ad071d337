import type { ServerEvent } from '../../../schema/api/socket-events.ts'
import type { WebhookEvent } from './webhook-event.ts'

/** Tells each operator that a webhook concerns the result of their part. */
export function tellProcessed(
  event: WebhookEvent,
  tell: (userId: string, event: ServerEvent) => void,
) {
  const owners = new Set(event.items.flatMap(({ ownerId }) => ownerId ?? []))
  for (const ownerId of owners) {
    const own = event.items.filter((item) => item.ownerId === ownerId)
    const count = (isCounted: (item: (typeof own)[number]) => boolean) =>
      own.filter(isCounted).length
    tell(ownerId, {
      event: 'whatsapp-webhook-processed',
      data: {
        eventId: event._id,
        status: event.status,
        field: 'messages',
        error: event.error,
        messages: count(({ kind }) => kind === 'message' || kind === 'echo'),
        statuses: count(({ kind }) => kind === 'status'),
        duplicates: count(({ outcome }) => outcome === 'duplicate'),
        processedAt: new Date(event.processedAt ?? event.receivedAt).toISOString(),
        messageIds: [...new Set(own.flatMap(({ messageId }) => messageId ?? []))],
      },
    })
  }
}
