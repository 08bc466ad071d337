export type PageEvent = 'online' | 'offline' | 'front' | 'back'

/** The page around one tab, with a browser's events. */
export interface LabPage {
  /** For an app that reads `navigator.onLine`. */
  readonly navigator: { readonly onLine: boolean }
  /** For an app that listens to `window`: hears `online` and `offline`. */
  readonly window: EventTarget
  isOnline(): boolean
  isVisible(): boolean
  subscribe(listener: (event: PageEvent) => void): () => void
  setOnline(isOnline: boolean): void
  /** Reports that there is a network, even if no outage was ever reported. */
  tellOnline(): void
  setVisible(isVisible: boolean): void
}

export function createLabPage(): LabPage {
  const listeners = new Set<(event: PageEvent) => void>()
  const state = { isOnline: true, isVisible: true }
  const window = new EventTarget()
  const tell = (event: PageEvent) => {
    for (const listener of [...listeners]) listener(event)
    if (event === 'online' || event === 'offline') window.dispatchEvent(new Event(event))
  }
  return {
    navigator: {
      get onLine() {
        return state.isOnline
      },
    },
    window,
    isOnline: () => state.isOnline,
    isVisible: () => state.isVisible,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    setOnline(isOnline) {
      if (state.isOnline === isOnline) return
      state.isOnline = isOnline
      tell(isOnline ? 'online' : 'offline')
    },
    tellOnline() {
      state.isOnline = true
      tell('online')
    },
    setVisible(isVisible) {
      state.isVisible = isVisible
      tell(isVisible ? 'front' : 'back')
    },
  }
}
