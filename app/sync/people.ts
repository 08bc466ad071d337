import { liveQuery } from 'dexie'
import { kindOf } from '../../schema/conversation.ts'
import type { PublicUser } from '../../schema/user.ts'
import type { KnownPeer } from '../database/storage/known-peer.ts'
import type { PeopleStore } from '../database/storage/people-store.ts'
import type { RequestEntry } from '../database/storage/queued-request.ts'
import type { ConversationRow } from '../database/views/conversation-row.ts'
import { createLiveValue, type LiveValue } from '../database/views/live-value.ts'
import { createRefresher } from '../database/views/refresher.ts'
import type { Groups } from './groups/own-groups.ts'
import type { Connection } from './messenger-types.ts'
import type { KnownPeople, PeopleSource } from './people/known-people.ts'
import type { PeopleDirectory } from './people/people-directory.ts'
import type { createPictures } from './people/pictures.ts'
import { createSignIns, type SignIns } from './people/sign-ins.ts'
import type { Platform } from './platform/platform.ts'
import { createPresence, type PresenceOfPeople } from './realtime/presence.ts'
import type { RequestCalls } from './requests/request-calls.ts'
import type { Requests } from './requests/requests.ts'

/** Another device may have blocked somebody meanwhile: whoever returns to the page asks this often. */
const oldAfterMs = 60_000

const nobody: readonly string[] = []

const gatherMs = 500

/** Many devices hear of the same person in the same second. */
const spreadMs = 500

const leastMs = 3_000

const longestMs = 5 * 60_000

/** Other people: who they are, who is here, and who is blocked. */
export interface People {
  users: PeopleDirectory
  peers: Peers
  presence: PresenceOfPeople
  blocked: BlockedPeople
  signIns: SignIns
  /** Reloads everyone from the server; on failure the known records stay. */
  refresh(): void
  close(): void
}

/**
 * Joins what names people to what reads their records from the server: the rows of the list,
 * presence, and a connection that is back.
 */
export function createPeople(options: {
  userId: string
  known: KnownPeople
  pictures: Pick<ReturnType<typeof createPictures>, 'hurry' | 'close'>
  about: Pick<PeopleStore, 'lists' | 'signIns'>
  conversations: LiveValue<readonly ConversationRow[]>
  connection: LiveValue<Connection>
  requests: Pick<Requests, 'entries'>
  source: Pick<PeopleSource, 'listBlocked'>
  groups: Pick<Groups, 'get'>
  calls: { own: Pick<RequestCalls['own'], 'listSessions'> }
  platform: Pick<Platform, 'page' | 'random' | 'now'>
  /** The server's time as this device knows it, epoch ms. */
  now: () => number
  /** One tab asks, and the others read what it stores. */
  isLeader: () => boolean
  onError: (cause: unknown) => void
}): People {
  const { known, pictures, about, conversations, connection, platform, isLeader, onError } = options
  const refresh = () => void known.refresh().catch(() => {})

  const blocked = createBlockedPeople({
    table: about.lists,
    listBlocked: options.source.listBlocked,
    entries: options.requests.entries,
    now: platform.now,
    onError,
  })
  const newcomers = createNewcomers({
    userId: options.userId,
    isKnown: known.isKnown,
    refresh: known.refresh,
    now: () => performance.now(),
    random: platform.random,
  })
  const presence = createPresence({
    onLeft: known.readAgain,
    onLost: (userIds) => known.recordLost(userIds, new Date(options.now()).toISOString()),
    onHere(userIds) {
      known.recordOnline(userIds)
      if (isLeader()) newcomers.meet(userIds)
    },
  })
  const signIns = createSignIns({
    table: about.signIns,
    listSessions: () => options.calls.own.listSessions(),
    now: platform.now,
    onError,
  })

  const heardNames = createHeardNames({ load: known.load })
  /** Requests the record of a first-time sender, so that no row stays without a name. */
  function meetStrangers() {
    for (const row of conversations.getSnapshot()) {
      if (!row.peer) known.get(row.peerId)
      else if (!row.peer.isGroup) heardNames.handle(row.peer, row.customerName)
    }
  }

  let wasLive = false
  /** Retries requests that failed while the server was unreachable. */
  function retryWhenBack() {
    const isLive = connection.getSnapshot().state === 'live'
    const isBack = isLive && !wasLive
    wasLive = isLive
    if (!isBack) return
    pictures.hurry()
    meetStrangers()
    // A socket that came up has asked before.
    if (isLeader()) blocked.refreshIfOld()
    if (known.problem.getSnapshot() !== undefined) refresh()
  }

  const unsubscribes = [
    conversations.subscribe(meetStrangers),
    connection.subscribe(retryWhenBack),
    platform.page.subscribe((event) => {
      if (event === 'online') refresh()
      if (event === 'front') blocked.refreshIfOld()
    }),
  ]
  meetStrangers()

  return {
    users: { ...known, refreshIfOld: newcomers.refreshIfOld },
    peers: createPeers({ people: known, groups: options.groups }),
    presence,
    blocked,
    signIns,
    refresh,
    close() {
      for (const unsubscribe of unsubscribes) unsubscribe()
      for (const part of [presence, newcomers, known, pictures, blocked]) part.close()
    },
  }
}

/** Whoever a conversation is with: a person, or a group. */
interface Peers {
  /** The same live value for the same id. */
  get(peerId: string): LiveValue<KnownPeer | undefined>
}

/** A group's record counts before a person's: nobody has a group's id. */
export function createPeers(options: {
  people: Pick<PeopleDirectory, 'get'>
  groups: Pick<Groups, 'get'>
}): Peers {
  const { people, groups } = options
  const live = new Map<string, LiveValue<KnownPeer | undefined>>()

  function join(peerId: string): LiveValue<KnownPeer | undefined> {
    const [person, group] = [people.get(peerId), groups.get(peerId)]
    return {
      getSnapshot: () => group.getSnapshot() ?? person.getSnapshot(),
      subscribe(listener) {
        const unsubscribes = [person.subscribe(listener), group.subscribe(listener)]
        return () => {
          for (const unsubscribe of unsubscribes) unsubscribe()
        }
      },
    }
  }

  return {
    get(peerId) {
      const joined = live.get(peerId) ?? join(peerId)
      live.set(peerId, joined)
      return joined
    },
  }
}

/**
 * Reloads a customer's record when the channel tells another name of them: once per name. Their
 * conversation tells it, which no later message hides.
 */
export function createHeardNames({ load }: { load(userId: string): Promise<unknown> }) {
  const heard = new Set<string>()
  return {
    handle(
      person: Pick<PublicUser, '_id' | 'isWhatsAppContact' | 'username'>,
      name: string | undefined,
    ): void {
      if (kindOf(person) !== 'business' || !name || name === person.username) return
      const key = `${person._id} ${name}`
      if (heard.has(key)) return
      heard.add(key)
      // The known record stays until a reload succeeds.
      load(person._id).catch(() => heard.delete(key))
    },
  }
}

/**
 * Reloads the list of people when presence names somebody unknown to the device, at most
 * once in some seconds however many they are, and ever more seldom while the list does not have
 * them: a directory may hide people who are online.
 * @param refresh reloads the list; rejects when it was not loaded
 * @param now ms of a clock that nobody sets
 */
export function createNewcomers(options: {
  userId: string
  isKnown: (userId: string) => boolean
  refresh: () => Promise<void>
  now: () => number
  random: () => number
}) {
  const { isKnown, refresh, now, random } = options
  const waiting = new Set<string>()
  /** The list did not have these. */
  const unlisted = new Set([options.userId])
  const state = {
    askedAt: Number.NEGATIVE_INFINITY,
    pauseMs: leastMs,
    isAsking: false,
    isClosed: false,
    timer: undefined as ReturnType<typeof setTimeout> | undefined,
  }

  const isNew = (userId: string) => !isKnown(userId) && !unlisted.has(userId)

  async function ask(userIds: readonly string[]) {
    state.isAsking = true
    state.askedAt = now()
    try {
      await refresh()
      for (const userId of userIds.filter((id) => !isKnown(id))) unlisted.add(userId)
      const hasFound = userIds.length === 0 || userIds.some(isKnown)
      state.pauseMs = hasFound ? leastMs : Math.min(longestMs, state.pauseMs * 2)
    } catch {
      // The next change of presence asks for them again.
      state.pauseMs = Math.min(longestMs, state.pauseMs * 2)
    } finally {
      state.isAsking = false
      request()
    }
  }

  function request() {
    if (waiting.size === 0 || state.isAsking || state.isClosed) return
    const dueMs = state.askedAt + state.pauseMs - now()
    state.timer ??= setTimeout(
      () => {
        state.timer = undefined
        const asked = [...waiting].filter(isNew)
        waiting.clear()
        if (asked.length > 0 && !state.isAsking) void ask(asked)
      },
      Math.max(dueMs, gatherMs + random() * spreadMs),
    )
  }

  return {
    /** Presence has named these people. */
    meet(userIds: readonly string[]) {
      for (const userId of userIds) if (isNew(userId)) waiting.add(userId)
      request()
    },

    /** The list is about to be shown. */
    refreshIfOld() {
      if (!state.isAsking && now() - state.askedAt >= leastMs) void ask([])
    },

    close() {
      state.isClosed = true
      clearTimeout(state.timer)
    },
  }
}

type BlockedPeople = ReturnType<typeof createBlockedPeople>

/**
 * The people that this person blocks: what the server last said, with what still waits to be sent.
 * Known offline, and in every tab.
 */
function createBlockedPeople(options: {
  table: PeopleStore['lists']
  listBlocked: () => Promise<readonly Pick<PublicUser, '_id'>[]>
  entries: LiveValue<readonly RequestEntry[]>
  now: () => number
  onError: (cause: unknown) => void
}) {
  const { table, listBlocked, entries, now, onError } = options
  const blocked = createLiveValue<readonly string[]>(nobody)
  let stored: readonly string[] = nobody
  /** Do not store a list that the server gave before a change. */
  let changes = 0
  let askedAt = Number.NEGATIVE_INFINITY

  function publish() {
    const all = new Set(stored)
    for (const { request, state } of entries.getSnapshot()) {
      if (request.kind !== 'block' || state !== 'waiting') continue
      if (request.blocked) all.add(request.userId)
      else all.delete(request.userId)
    }
    const before = blocked.getSnapshot()
    const isSame = before.length === all.size && before.every((id) => all.has(id))
    if (!isSame) blocked.set([...all])
  }

  async function store(change: (before: readonly string[]) => readonly string[]) {
    await table.db.transaction('rw', table, async () => {
      const before = (await table.get('blocked'))?.userIds ?? nobody
      await table.put({ _id: 'blocked', userIds: change(before) })
    })
  }

  const refresher = createRefresher({
    onError: () => {},
    async run() {
      const before = changes
      askedAt = now()
      const people = await listBlocked().catch((cause: unknown) => {
        askedAt = Number.NEGATIVE_INFINITY
        throw cause
      })
      if (changes === before) await store(() => people.map(({ _id }) => _id)).catch(onError)
    },
  })
  const watching = liveQuery(() => table.get('blocked')).subscribe({
    next(kept) {
      stored = kept?.userIds ?? nobody
      publish()
    },
    error: onError,
  })
  const unsubscribe = entries.subscribe(publish)

  return {
    blocked: blocked as LiveValue<readonly string[]>,

    /** Asks the server; without a network the known list stays. */
    refresh: () => void refresher.refresh(),

    /** The same, unless it has just been asked and did not fail. */
    refreshIfOld() {
      if (now() - askedAt >= oldAfterMs) void refresher.refresh()
    },

    /** The server has accepted this change. */
    async record({ userId, blocked: isBlocked }: { userId: string; blocked: boolean }) {
      changes += 1
      await store((before) => [
        ...before.filter((id) => id !== userId),
        ...(isBlocked ? [userId] : []),
      ])
    },

    close() {
      watching.unsubscribe()
      unsubscribe()
      refresher.close()
    },
  }
}
