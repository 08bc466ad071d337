import type { LiveSource } from '../../ui/hooks/use-live-value.ts'

/** Part of the Network Information API, which Chromium has on phones. */
interface NetworkInformation extends EventTarget {
  type?: unknown
}

/** The network type, such as `wifi` or `cellular`; undefined if the browser does not report it. */
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
