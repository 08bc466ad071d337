import type { MessageDocument } from '../../../schema/message.ts'
import {
  messageActions,
  type WorkerNotificationOptions,
} from '../../offline/notification-actions.ts'

/** What the worker's click on such a notification needs: `app/offline/worker/handle-click.ts`. */
export function describeForWorker({ _id, peerId, recipientId, orderedAt }: MessageDocument) {
  return { peerId, userId: recipientId, messageIds: [_id], count: 1, upTo: orderedAt }
}

/** Shows a notification that the service worker owns: with actions, where it is about a message. */
export async function showByWorker(
  registration: ServiceWorkerRegistration,
  title: string,
  { message, ...options }: WorkerNotificationOptions & { message?: MessageDocument | undefined },
): Promise<void> {
  const shown: WorkerNotificationOptions = message
    ? { ...options, actions: messageActions }
    : options
  await registration.showNotification(title, shown)
}
