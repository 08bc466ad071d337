import { type MessageCollection, subscribeToChanges } from '../database/storage/collections.ts'
import type { KeyValueStorage } from '../database/storage/key-value-storage.ts'
import { pendingTally } from '../database/storage/stored-message.ts'
import { createLiveValue, type LiveValue } from '../database/views/live-value.ts'
import { countPending } from '../database/views/read-conversations.ts'
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

function describeSetAside({
  count,
  status,
  words,
}: Pick<SetAsideTold, 'count' | 'status' | 'words'>): string | undefined {
  if (count === 0) return undefined
  if (words !== undefined) return words
  const what = count === 1 ? "One change wasn't let" : `${count} changes weren't let`
  const why = `through to the server by your network (answer ${status}).`
  return `${what} ${why} It's tried again later; another network may help.`
}

/** A busy line is heard many times a second: the screens need not know. */
const lastSyncedStepMs = 15_000

/** The state of the connection in one value, honest but not alarming. */
export function createConnection(options: {
  messages: MessageCollection
  page: Page
  now: () => number
  onError: (cause: unknown) => void
  /** Keeps when the last sync was, over a reload. */
  lastSynced?: { texts: KeyValueStorage | undefined; key: string }
}) {
  const { messages, page, now, onError, lastSynced } = options
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
    hasSynced: boolean
    setAside: Pick<SetAsideTold, 'count' | 'status' | 'words'>
  } = {
    isSocketUp: false,
    isOutdated: false,
    hasHeard: false,
    isSyncing: false,
    pendingCount: 0,
    comingCount: 0,
    hasSynced: false,
    setAside: { count: 0, status: undefined },
  }
  const kept = Number(lastSynced?.texts?.getItem(lastSynced.key) ?? 0)
  if (kept > 0) state.lastSyncedAt = kept
  const connection = createLiveValue<Connection>({
    state: 'starting',
    pendingCount: 0,
    ...(kept > 0 && { lastSyncedAt: kept }),
  })

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
      ...(state.hasSynced && { hasSynced: true }),
      ...(words !== undefined && { words }),
    }
    const isSame =
      next.state === before.state &&
      next.pendingCount === before.pendingCount &&
      next.comingCount === before.comingCount &&
      next.hasSynced === before.hasSynced &&
      (next.lastSyncedAt ?? 0) - (before.lastSyncedAt ?? 0) < lastSyncedStepMs &&
      next.words === before.words
    if (!isSame) connection.set(next)
  }

  function setSynced() {
    const at = now()
    const { lastSyncedAt = 0 } = connection.getSnapshot()
    Object.assign(state, { lastSyncedAt: at, hasSynced: true })
    if (!lastSynced || at - lastSyncedAt < lastSyncedStepMs) return
    try {
      lastSynced.texts?.setItem(lastSynced.key, String(at))
    } catch {
      // A full device forgets it with the page.
    }
  }

  /** Have messages changed since the last counting began? */
  let isCountOutdated = false
  const counter = createRefresher({
    onError,
    gatherMs: 15,
    async run() {
      isCountOutdated = false
      state.pendingCount = await countPending(messages)
      publish()
      // One that was sent while it was being counted: nothing else tells of it.
      if (isCountOutdated && state.pendingCount > 0) void counter.refresh()
    },
  })
  const unsubscribes = [
    page.subscribe((event) => {
      if (event === 'offline') state.hasHeard = false
      publish()
    }),
    subscribeToChanges(messages, ({ documents }) => {
      isCountOutdated = true
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
      if (outcome === 'reached') setSynced()
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
