/** What of a service worker's world this part uses: TypeScript's own types exclude those of a page. */
export interface WorkerScope {
  registration: ServiceWorkerRegistration & {
    sync?: { register(tag: string): Promise<void> }
  }
  clients: {
    matchAll(options: {
      type: 'window'
      includeUncontrolled?: boolean
    }): Promise<readonly WindowClient[]>
    openWindow(url: string): Promise<unknown>
    claim(): Promise<void>
  }
  navigator: Navigator
  location: Location
  addEventListener<Name extends keyof WorkerEvents>(
    name: Name,
    listener: (event: WorkerEvents[Name]) => void,
  ): void
}

interface WindowClient {
  visibilityState: DocumentVisibilityState
  postMessage(message: unknown): void
  focus(): Promise<unknown>
}

interface Waiting {
  waitUntil(work: Promise<unknown>): void
}

export interface ClickEvent extends Waiting {
  notification: Notification
  action: string
  /** What was written beside an action of the type `text`. */
  reply?: string | null
}

export interface InstallEvent extends Waiting {
  /** Absent where the browser has no static routes. */
  addRoutes?(rules: readonly RouterRule[]): Promise<void>
}

interface RouterRule {
  condition: { urlPattern: { pathname: string }; requestMethod?: string }
  source: 'network' | { cacheName: string }
}

interface WorkerEvents {
  install: InstallEvent
  push: Waiting & { data: { json(): unknown } | null }
  notificationclick: ClickEvent
  sync: Waiting & { tag: string }
  message: Waiting & { data: unknown }
  pushsubscriptionchange: Waiting & { oldSubscription?: PushSubscription | null }
}
