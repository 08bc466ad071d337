import { createLiveValue, type LiveValue } from '../database/views/live-value.ts'
import type { createConnection } from './connection.ts'
import { createLeaderElection } from './platform/leader-election.ts'
import type { Platform } from './platform/platform.ts'
import { createLazySync, type LazySyncOptions } from './replication/lazy-sync.ts'
import type { SetAsidePush } from './replication/set-aside.ts'
import type { Sync } from './replication/sync.ts'

/** A queue of which only the leader sends. */
interface Queue {
  /** This tab begins to lead; the returned function ends it. */
  begin(): () => Promise<void>
  hurry(): void
}

/** One of a person's tabs leads at a time: it syncs. In the other tabs these calls do nothing. */
export interface Leadership
  extends Pick<Sync, 'hurry' | 'sendNow' | 'nextTryInMs' | 'expectMessage'> {
  isLeader(): boolean
  /** The pushes that are refused again and again, each by its document's id. */
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
  const setAside = createLiveValue<ReadonlyMap<string, SetAsidePush>>(new Map())
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
      setAside.set(new Map())
      onLeaderChange(false)
      for (const end of [ours.close, ...endQueues]) ending.add(end().catch(onError))
    }
  }

  const election = createLeaderElection({
    locks: platform.locks,
    page: platform.page,
    name: `petrel-sync-${userId}${platform.tab ? `-${platform.tab.device}` : ''}`,
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
    async close() {
      election.close()
      await Promise.all(ending)
    },
  }
}
