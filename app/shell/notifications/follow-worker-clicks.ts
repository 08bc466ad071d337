/**
 * Leads to the chat of a notification that was shown by the service worker: `notification-click.js` hears the click.
 * @returns the end of it
 */
export function followWorkerClicks(openPath: (path: string) => void): () => void {
  const { serviceWorker } = navigator
  const onMessage = ({ data }: MessageEvent<unknown>) => {
    const path = readChatPath(data)
    if (path) openPath(path)
  }
  serviceWorker?.addEventListener('message', onMessage)
  return () => serviceWorker?.removeEventListener('message', onMessage)
}

function readChatPath(data: unknown): string | undefined {
  if (typeof data !== 'object' || data === null || !('type' in data) || !('path' in data)) return
  return data.type === 'open-chat' && typeof data.path === 'string' ? data.path : undefined
}
