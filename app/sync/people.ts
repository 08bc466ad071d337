import type { PeopleStore } from '../database/people/people-store.ts'
import type { ConversationRow } from '../database/views/conversation-row.ts'
import type { LiveValue } from '../database/views/live-value.ts'
import type { Connection } from './messenger-types.ts'
import { type BlockedPeople, createBlockedPeople } from './people/blocked-people.ts'
import { createHeardNames } from './people/heard-names.ts'
import type { KnownPeople, PeopleSource } from './people/known-people.ts'
import { createNewcomers } from './people/newcomers.ts'
import type { PeopleDirectory } from './people/people-directory.ts'
import type { createPictures } from './people/pictures.ts'
import { createSignIns, type SignIns } from './people/sign-ins.ts'
import type { Platform } from './platform/platform.ts'
import { createPresence, type PresenceOfPeople } from './realtime/presence.ts'
import type { RequestCalls } from './requests/request-calls.ts'
import type { Requests } from './requests/requests.ts'

/** Other people: who they are, who is here, and who is blocked. */
export interface People {
  users: PeopleDirectory
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
      else heardNames.handle(row.peer, row.lastMessage)
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
