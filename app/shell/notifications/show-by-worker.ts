import type { MessageDocument } from '../../../schema/message.ts'
import {
  messageActions,
  type WorkerNotificationOptions,
} from '../../offline/notification-actions.ts'
import {
  describeNotification,
  type NotificationData,
} from '../../offline/worker/describe-notification.ts'

interface Shown extends WorkerNotificationOptions {
  tag: string
  /** Where it is about a new message, which can be answered. */
  message?: MessageDocument | undefined
  isPreviewHidden: boolean
}

/**
 * Shows a notification that the service worker owns. That of a message joins what its chat's earlier
 * one says, also one of the worker's own; a message that it says already is not told again.
 */
export async function showByWorker(
  registration: ServiceWorkerRegistration,
  title: string,
  { message, isPreviewHidden, ...options }: Shown,
): Promise<void> {
  if (!message) return await registration.showNotification(title, options)
  // In turn with the worker: Chromium forgets one that is asked for while it is being shown.
  await navigator.locks.request('petrel-notify', async () => {
    const [shown] = await registration.getNotifications({ tag: options.tag })
    const described = describeNotification({
      payload: describePayload(message, { name: title, isPreviewHidden }),
      messages: [message],
      earlier: shown?.data as NotificationData | undefined,
    })
    if (!described.isNews) return
    const { body, data } = described
    const joined: WorkerNotificationOptions = { ...options, body, data, actions: messageActions }
    await registration.showNotification(title, joined)
  })
}

/** The message as a push would say it. */
function describePayload(
  { _id, peerId, recipientId, orderedAt }: MessageDocument,
  rest: { name: string; isPreviewHidden: boolean },
) {
  const said = { userId: recipientId, peerId, messageIds: [_id], count: 1, upTo: orderedAt }
  return { ...rest, ...said, isSilent: false }
}
