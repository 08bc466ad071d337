import * as z from 'zod/mini'
import type { LiveValue } from '../database/views/live-value.ts'
import type { createConnection } from './connection.ts'
import { createFetchedPart } from './platform/fetched-part.ts'
import type { Locks, Page, Platform } from './platform/platform.ts'
import { createTabStates } from './platform/tab-states.ts'
import type { SetAsidePush } from './replication/set-aside.ts'
import type { Sync, SyncOptions } from './replication/sync.ts'

const setAsidePush = z.object({
  status: z.number(),
  words: z.optional(z.string()),
  code: z.optional(z.string()),
  dueAt: z.number(),
})

/** A queue of which only the leader sends. */
interface Queue {
  /** This tab begins to lead; the returned function ends it. */
  begin(): () => Promise<void>
  hurry(): void
}

/** One of a person's tabs leads at a time: it syncs. In the other tabs these calls do nothing. */
export interface Leadership
  extends Pick<Sync, 'hurry' | 'sendNow' | 'nextTryInMs' | 'expectMessage' | 'lookAtGroups'> {
  isLeader(): boolean
  /** The pushes that are refused again and again, each by its document's id; known in all tabs. */
  setAside: LiveValue<ReadonlyMap<string, SetAsidePush>>
  /** Stops leading; resolves when everything that it began as the leader has ended. */
  close(): Promise<void>
}

export interface LeadershipOptions
  extends Omit<LazySyncOptions, 'onOutcome' | 'onSetAside' | 'onComing'> {
  userId: string
  platform: Pick<Platform, 'page' | 'random' | 'locks' | 'tab'>
  queues: readonly Queue[]
  connection: Pick<
    ReturnType<typeof createConnection>,
    'setLeader' | 'setOutcome' | 'setSetAside' | 'setComingCount'
  >
  /** This tab has become the leader, or lost that. */
  onLeaderChange: (isLeader: boolean) => void
  onUnreachable: () => void
  onSignedOut: () => void
}

/**
 * While this tab leads, it replicates and its queues send; the connection is told how that
 * goes.
 */
export function createLeadership(options: LeadershipOptions): Leadership {
  const { userId, platform, queues, connection, onLeaderChange, onError } = options
  const ofDevice = `${userId}${platform.tab ? `-${platform.tab.device}` : ''}`
  const setAside = createTabStates<SetAsidePush>({
    name: `petrel-set-aside-${ofDevice}`,
    state: setAsidePush,
  })
  const ending = new Set<Promise<unknown>>()
  let sync: Sync | undefined

  function replicate(): Sync {
    return createLazySync({
      ...options,
      onSetAside(all) {
        connection.setSetAside(all)
        setAside.set(all.pushes)
      },
      onOutcome(outcome) {
        if (outcome === 'signed-out') options.onSignedOut()
        else connection.setOutcome(outcome)
        if (outcome === 'unreachable') options.onUnreachable()
      },
      onComing: connection.setComingCount,
    })
  }

  function begin() {
    const ours = replicate()
    sync = ours
    connection.setLeader(true)
    onLeaderChange(true)
    const endQueues = queues.map((queue) => queue.begin())
    return () => {
      sync = undefined
      connection.setLeader(false)
      setAside.leave()
      onLeaderChange(false)
      for (const end of [ours.close, ...endQueues]) ending.add(end().catch(onError))
    }
  }

  const election = createLeaderElection({
    locks: platform.locks,
    page: platform.page,
    name: `petrel-sync-${ofDevice}`,
    begin,
  })

  return {
    isLeader: () => sync !== undefined,
    setAside,
    hurry() {
      sync?.hurry()
      for (const queue of queues) queue.hurry()
    },
    sendNow() {
      sync?.sendNow()
      for (const queue of queues) queue.hurry()
    },
    nextTryInMs: () => sync?.nextTryInMs(),
    expectMessage: (id) => sync?.expectMessage(id),
    lookAtGroups: (told) => sync?.lookAtGroups(told),
    async close() {
      election.close()
      setAside.close()
      await Promise.all(ending)
    },
  }
}

type LazySyncOptions = SyncOptions & { untilDrawn: Promise<unknown> }

/** Replicates like `createSync`; loads its code after the page has drawn the device's data. */
function createLazySync(options: LazySyncOptions): Sync {
  const { platform, untilDrawn, onOutcome, onError } = options
  const sync = createFetchedPart({
    platform,
    untilDrawn,
    async load() {
      const { createSync } = await import('./replication/sync.ts')
      return () => createSync(options)
    },
    onMissing(cause) {
      onError(cause)
      onOutcome('unreachable')
    },
  })
  return {
    hurry: () => sync.get()?.hurry(),
    sendNow: () => sync.get()?.sendNow(),
    nextTryInMs: () => sync.get()?.nextTryInMs(),
    // Until it has started nothing can be missed: the first pull brings it.
    expectMessage: (id) => sync.get()?.expectMessage(id),
    lookAtGroups: (told) => sync.get()?.lookAtGroups(told),
    close: sync.close,
  }
}

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
