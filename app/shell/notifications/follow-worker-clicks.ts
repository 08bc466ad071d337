/**
 * Opens the chat of a clicked notification that the service worker showed: `notification-click.js`
 * handles the click.
 * @returns a function that stops it
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
