import type { Locks, Page } from './platform.ts'

/**
 * Of several tabs one syncs: the one that was in front last. A turn is taken, never waited for, so a tab that
 * the browser has frozen holds nobody up; hidden tabs queue for when the one in front is closed.
 *
 * `begin` is called when the turn comes, and what it returned when the turn goes.
 */
export function createLeaderElection(options: {
  locks: Locks | undefined
  page: Page
  name: string
  begin: () => () => void
}): { isLeader(): boolean; take(): void; close(): void } {
  const { locks, page, name, begin } = options
  const closing = new AbortController()
  let end: (() => void) | undefined
  /** The request that counts; an older one has lost to it, not to another tab. */
  let current = new AbortController()

  /** Holds the turn until it is taken away, or this tab closes. */
  function hold(): Promise<void> {
    if (closing.signal.aborted) return Promise.resolve()
    end ??= begin()
    return new Promise((release) =>
      closing.signal.addEventListener('abort', () => release(), { once: true }),
    )
  }

  function letGo() {
    end?.()
    end = undefined
  }

  async function ask(manner: 'steal' | 'queue'): Promise<void> {
    const own = new AbortController()
    current.abort()
    current = own
    if (!locks) return await hold()
    const how = manner === 'steal' ? { steal: true } : { signal: own.signal }
    // A theft and our own withdrawal both end the request with an AbortError.
    await locks.request(name, how, hold).catch(() => {})
    if (current !== own || closing.signal.aborted) return
    letGo()
    await ask('queue')
  }

  /** Also while it is ours as far as we know: the news of a theft may be on its way. */
  function take() {
    if (!closing.signal.aborted) void ask('steal')
  }

  const unsubscribe = page.subscribe((event) => {
    if (event === 'front') take()
  })
  if (page.isVisible()) take()
  else void ask('queue')

  return {
    isLeader: () => end !== undefined,
    take,
    close() {
      unsubscribe()
      closing.abort()
      current.abort()
      letGo()
    },
  }
}
