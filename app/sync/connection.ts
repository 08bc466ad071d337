import type { MessageCollection } from '../database/storage/collections.ts'
import { pendingTally } from '../database/storage/stored-message.ts'
import { subscribeToChanges } from '../database/storage/subscribe-to-changes.ts'
import { countPending } from '../database/views/count-unread.ts'
import { createLiveValue, type LiveValue } from '../database/views/live-value.ts'
import { createRefresher } from '../database/views/refresher.ts'
import type { Connection } from './messenger-types.ts'
import type { Page } from './platform/platform.ts'
import type { SetAsideTold } from './replication/set-aside.ts'
import type { SyncOutcome } from './replication/transport/sync-calls.ts'

type Trouble = Extract<SyncOutcome, 'refusing'> | 'broken'

const troubleWords: Record<Trouble, string> = {
  refusing: 'The server has a problem. Messages will send when it works again.',
  broken: "This device couldn't store new messages. Free up some space to receive them.",
}

function describeSetAside({ count, status }: SetAsideTold): string | undefined {
  if (count === 0) return undefined
  const what = count === 1 ? "One change wasn't let" : `${count} changes weren't let`
  const why = `through to the server by your network (answer ${status}).`
  return `${what} ${why} It's tried again later; another network may help.`
}

/** The state of the connection in one value, honest but not alarming. */
export function createConnection(options: {
  messages: MessageCollection
  page: Page
  now: () => number
  onError: (cause: unknown) => void
}) {
  const { messages, page, now, onError } = options
  const state: {
    outcome?: SyncOutcome | 'broken'
    isSocketUp: boolean
    /** The server has said so, and has served nothing since. */
    isOutdated: boolean
    /** The server has answered since the browser reported no network. */
    hasHeard: boolean
    isSyncing: boolean
    pendingCount: number
    comingCount: number
    lastSyncedAt?: number
    setAside: SetAsideTold
  } = {
    isSocketUp: false,
    isOutdated: false,
    hasHeard: false,
    isSyncing: false,
    pendingCount: 0,
    comingCount: 0,
    setAside: { count: 0, status: undefined },
  }
  const connection = createLiveValue<Connection>({ state: 'starting', pendingCount: 0 })

  /** Only a hint: browsers take a VPN or a virtual adapter for no network. */
  const isOffline = () => !page.isOnline() && !state.hasHeard

  function describe(): Connection['state'] {
    if (state.outcome === 'signed-out') return 'signed-out'
    if (isOffline()) return 'offline'
    if (state.isOutdated) return 'outdated'
    // A tab that does not sync knows the server only by its socket.
    if (!state.isSyncing) return state.isSocketUp ? 'live' : 'connecting'
    switch (state.outcome) {
      case undefined:
        return 'starting'
      case 'reached':
        return 'live'
      // Served again on the line, and so soon here.
      case 'outdated':
      case 'unreachable':
        return 'connecting'
      default:
        return 'trouble'
    }
  }

  function publish() {
    const before = connection.getSnapshot()
    const words =
      state.outcome === 'refusing' || state.outcome === 'broken'
        ? troubleWords[state.outcome]
        : describeSetAside(state.setAside)
    const next: Connection = {
      state: describe(),
      pendingCount: state.pendingCount,
      ...(state.comingCount > 0 && { comingCount: state.comingCount }),
      ...(state.lastSyncedAt !== undefined && { lastSyncedAt: state.lastSyncedAt }),
      ...(words !== undefined && { words }),
    }
    const isSame =
      next.state === before.state &&
      next.pendingCount === before.pendingCount &&
      next.comingCount === before.comingCount &&
      next.words === before.words
    if (!isSame) connection.set(next)
  }

  const counter = createRefresher({
    onError,
    gatherMs: 15,
    async run() {
      state.pendingCount = await countPending(messages)
      publish()
    },
  })
  const unsubscribes = [
    page.subscribe((event) => {
      if (event === 'offline') state.hasHeard = false
      publish()
    }),
    subscribeToChanges(messages, ({ documents }) => {
      const isConcerned =
        state.pendingCount > 0 || documents.some(({ tally }) => tally === pendingTally)
      if (isConcerned) void counter.refresh()
    }),
  ]
  void counter.refresh()

  return {
    connection: connection as LiveValue<Connection>,
    /** Is there no network, as far as this device can tell? */
    isOffline,
    setOutcome(outcome: SyncOutcome | 'broken') {
      state.outcome = outcome
      state.hasHeard = outcome === 'reached' || outcome === 'outdated'
      if (state.hasHeard) state.isOutdated = outcome === 'outdated'
      if (outcome === 'reached') state.lastSyncedAt = now()
      publish()
    },
    /** Something repeatedly refuses own changes; the rest passes. */
    setSetAside(all: SetAsideTold) {
      state.setAside = all
      publish()
    },
    setSocketUp(isUp: boolean) {
      state.isSocketUp = isUp
      if (isUp) Object.assign(state, { hasHeard: true, isOutdated: false })
      else if (!state.isSyncing) state.hasHeard = false
      publish()
    },
    /** A tab that does not sync has heard it on its own line. */
    setOutdated() {
      Object.assign(state, { hasHeard: true, isOutdated: true })
      publish()
    },
    setComingCount(count: number) {
      state.comingCount = count
      publish()
    },
    setLeader(isSyncing: boolean) {
      Object.assign(state, { isSyncing, comingCount: 0 })
      if (state.outcome !== 'signed-out') delete state.outcome
      publish()
    },
    close() {
      for (const unsubscribe of unsubscribes) unsubscribe()
      counter.close()
    },
  }
}
