import type { LiveSource } from '../../ui/hooks/use-live-value.ts'

/** Of the Network Information API, which Chromium has on phones. */
interface NetworkInformation extends EventTarget {
  type?: unknown
}

/** The kind of network, such as `wifi` or `cellular`; undefined where the browser does not tell. */
export const networkType: LiveSource<string | undefined> = {
  getSnapshot() {
    const type = readConnection()?.type
    return typeof type === 'string' ? type : undefined
  },
  subscribe(listener) {
    const connection = readConnection()
    connection?.addEventListener('change', listener)
    return () => connection?.removeEventListener('change', listener)
  },
}

function readConnection(): NetworkInformation | undefined {
  return 'connection' in navigator ? (navigator.connection as NetworkInformation) : undefined
}
