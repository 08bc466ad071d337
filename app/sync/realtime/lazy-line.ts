import { createFetchedPart, type FetchedPartOptions } from '../platform/fetched-part.ts'
import type { LiveLineOptions } from './live-line.ts'
import type { Socket } from './socket.ts'

export type LazyLineOptions = LiveLineOptions &
  Pick<FetchedPartOptions<Socket>, 'untilDrawn'> & { onError: (cause: unknown) => void }

/** The line of `createLiveLine`; loads its code after the page has drawn the device's data. */
export function createLazyLine({ untilDrawn, onError, ...options }: LazyLineOptions): Socket {
  const line = createFetchedPart({
    platform: options.platform,
    untilDrawn,
    onMissing: onError,
    async load() {
      const { createLiveLine } = await import('./live-line.ts')
      return () => createLiveLine(options)
    },
  })
  return {
    send: (event) => line.get()?.send(event) ?? false,
    doubt: () => line.get()?.doubt(),
    close: () => void line.close().catch(onError),
  }
}
