import { createBackOff } from './back-off.ts'
import type { Platform } from './platform.ts'

interface Part {
  close(): unknown
}

export interface FetchedPartOptions<T extends Part> {
  platform: Pick<Platform, 'page' | 'random'>
  /** The device's data comes first: nothing is fetched before this resolves. */
  untilDrawn: Promise<unknown>
  /** Loads the code; returns the function that starts the part. */
  load: () => Promise<() => T>
  /** Loading the code failed; a retry follows. */
  onMissing: (cause: unknown) => void
}

/** A part of the core, loaded and started after the page has drawn the device's data. */
export function createFetchedPart<T extends Part>(options: FetchedPartOptions<T>) {
  const { platform, untilDrawn, load, onMissing } = options
  const closing = new AbortController()
  const { signal } = closing
  const backOff = createBackOff({ random: platform.random })
  let part: T | undefined

  async function start() {
    await untilDrawn
    while (!part) {
      const attempt = await backOff.begin(signal)
      const begin = await load().catch(onMissing)
      if (signal.aborted) return
      if (begin) part = begin()
      else backOff.fail(attempt)
    }
  }

  const starting = start().catch((cause: unknown) => {
    if (!signal.aborted) throw cause
  })
  const stopListening = platform.page.subscribe((event) => {
    if (event === 'online' || event === 'front') backOff.hurry()
  })

  return {
    /** Undefined until it has started. */
    get: () => part,
    async close() {
      stopListening()
      closing.abort(new Error('This part has ended.'))
      await starting
      await part?.close()
    },
  }
}
