import pLimit from 'p-limit'
import { limits } from '../../../schema/limits.ts'
import { ApiError } from '../../api/api-error.ts'
import { createKeptPictures, type PictureBudget } from '../../database/storage/kept-pictures.ts'
import type { PeopleStore } from '../../database/storage/people-store.ts'
import { createLiveValue, type LiveValue } from '../../database/views/live-value.ts'
import { createBackOff } from '../platform/back-off.ts'
import { judgeFailure } from '../requests/judge-failure.ts'

/** People's pictures, from this device, else from the server. */
export interface Pictures {
  /**
   * An object URL; undefined until it is here, and when there is none. Requests it while somebody
   * listens. For the same address it returns the same live value.
   */
  get(address: string): LiveValue<string | undefined>
}

const mostAtOnce = 3
/** Of pictures in memory that no screen shows; a scrolled list finds them again at once. */
const unshownMax = 200
const longestMs = 5 * 60_000

interface Entry extends LiveValue<string | undefined> {
  set(url: string | undefined): void
  hasListeners(): boolean
  /** `none`: the server has no such picture, or gives it to nobody. */
  state: 'idle' | 'asked' | 'here' | 'none'
}

/**
 * Each picture is requested once, few at a time, only while a screen shows the person, and after a
 * failure later and later.
 */
export function createPictures(options: {
  table: PeopleStore['pictures']
  download: (given: { mediaUrl: string }, options: { signal: AbortSignal }) => Promise<Blob>
  now: () => number
  random: () => number
  onError: (cause: unknown) => void
  budget?: PictureBudget
}) {
  const { download, random, onError } = options
  const kept = createKeptPictures(options)
  const entries = new Map<string, Entry>()
  const closing = new AbortController()
  const { signal } = closing
  const limit = pLimit(mostAtOnce)
  const backOff = createBackOff({ random, longestMs })

  function makeEntry(address: string): Entry {
    const value = createLiveValue<string | undefined>(undefined)
    const entry: Entry = {
      ...value,
      state: 'idle',
      subscribe(listener) {
        const unsubscribe = value.subscribe(listener)
        ask(address, entry)
        return unsubscribe
      },
    }
    return entry
  }

  function ask(address: string, entry: Entry) {
    if (entry.state !== 'idle' || signal.aborted) return
    entry.state = 'asked'
    bring(address, entry).catch((cause: unknown) => {
      entry.state = 'idle'
      if (!signal.aborted) onError(cause)
    })
  }

  async function bring(address: string, entry: Entry) {
    const here = await kept.read(address).catch(onError)
    if (here) return show(entry, here)
    const fetched = await fetchWhileShown(address, entry)
    if (!fetched) return
    show(entry, fetched)
    // It is shown all the same.
    await kept.keep(address, fetched).catch(onError)
  }

  function show(entry: Entry, picture: Blob) {
    if (signal.aborted) return
    entry.state = 'here'
    entry.set(URL.createObjectURL(picture))
  }

  function forget(address: string) {
    const entry = entries.get(address)
    entries.delete(address)
    const url = entry?.getSnapshot()
    entry?.set(undefined)
    if (url) URL.revokeObjectURL(url)
  }

  /** Undefined when the server has none, or no screen shows it any more. */
  async function fetchWhileShown(address: string, entry: Entry): Promise<Blob | undefined> {
    for (;;) {
      const outcome = await limit(() => fetchOnce(address, entry))
      if (outcome instanceof Blob) return outcome
      if (outcome === 'again') continue
      entry.state = outcome
      return undefined
    }
  }

  /** Waits within the limit, so that a failing server gets no more requests than that at once. */
  async function fetchOnce(
    address: string,
    entry: Entry,
  ): Promise<Blob | 'idle' | 'none' | 'again'> {
    const attempt = await backOff.begin(signal)
    if (!entry.hasListeners()) return 'idle'
    try {
      const fetched = await download({ mediaUrl: address }, { signal })
      backOff.succeed()
      return isPicture(fetched) ? fetched : 'none'
    } catch (cause) {
      signal.throwIfAborted()
      if (judgeFailure(cause) === 'refused') return 'none'
      const atLeastMs = cause instanceof ApiError ? cause.retryAfterMs : 0
      backOff.fail(attempt, { atLeastMs })
      return 'again'
    }
  }

  /** Forgets the pictures that no screen shows, oldest first. */
  function forgetUnshown() {
    const unshown = [...entries].filter(([, entry]) => !entry.hasListeners())
    for (const [address] of unshown.slice(0, Math.max(0, unshown.length - unshownMax))) {
      forget(address)
    }
  }

  return {
    pictures: {
      get(address) {
        const known = entries.get(address)
        if (known) return known
        forgetUnshown()
        const entry = makeEntry(address)
        entries.set(address, entry)
        return entry
      },
    } satisfies Pictures as Pictures,

    /** This person has another picture now, or none. */
    async drop(address: string): Promise<void> {
      forget(address)
      await kept.drop(address)
    },

    /** The server is reachable again: retry now. */
    hurry: backOff.hurry,

    close() {
      closing.abort(new Error('Pictures are no longer shown.'))
      backOff.close()
      for (const address of [...entries.keys()]) forget(address)
    },
  }
}

function isPicture({ type, size }: Blob): boolean {
  return type.startsWith('image/') && size <= limits.pictureInputMaxBytes
}
