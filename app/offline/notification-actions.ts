/** Options that only a service worker's notifications have, as browsers take them. */
export interface WorkerNotificationOptions extends NotificationOptions {
  renotify?: boolean
  actions?: readonly NotificationAction[]
}

interface NotificationAction {
  action: string
  title: string
  /** The platform offers a field beside it, where it has one. */
  type?: 'text'
  placeholder?: string
}

/** What can be done about a new message without opening the app. */
export const messageActions: readonly NotificationAction[] = [
  { action: 'reply', title: 'Reply', type: 'text', placeholder: 'Type a message' },
  { action: 'read', title: 'Mark as read' },
]
