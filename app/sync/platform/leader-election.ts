import type { Locks, Page } from './platform.ts'

/**
 * Elects the tab that syncs: the one last in front. A tab takes the lead without waiting, so a
 * frozen tab blocks no one; hidden tabs queue for when the front one closes.
 *
 * Calls `begin` when this tab begins to lead, and its returned function when it ends.
 */
export function createLeaderElection(options: {
  locks: Locks | undefined
  page: Page
  name: string
  begin: () => () => void
}): { isLeader(): boolean; take(): void; close(): void } {
  const { locks, page, name, begin } = options
  const state = { isClosed: false, release: () => {} }
  let end: (() => void) | undefined
  /** The current request; an older one lost to it, not to another tab. */
  let current = new AbortController()

  /** Leads until another tab takes it, or this tab closes. */
  function hold(): Promise<void> {
    // Whoever keeps the lead before this one would gather one for each time in front.
    state.release()
    if (state.isClosed) return Promise.resolve()
    end ??= begin()
    return new Promise((release) => {
      state.release = release
    })
  }

  function resign() {
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
    if (current !== own || state.isClosed) return
    resign()
    await ask('queue')
  }

  /** True also while a theft's news is still on its way. */
  function take() {
    if (!state.isClosed) void ask('steal')
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
      state.isClosed = true
      state.release()
      current.abort()
      resign()
    },
  }
}
