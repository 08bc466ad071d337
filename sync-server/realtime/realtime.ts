import { LRUCache } from 'lru-cache'
import { socketCloseCodes, socketCloseWords } from '../../schema/api/socket-events.ts'
import type { Directory } from '../access/directory.ts'
import type { Privacy } from '../access/privacy.ts'
import type { Relations } from '../access/relations.ts'
import type { Sessions } from '../access/sessions.ts'
import type { TokenHolder } from '../access/token-keeper.ts'
import { atMost } from '../lib/at-most.ts'
import type { Log } from '../lib/log.ts'
import type { Storage } from '../storage/storage.ts'
import { createChangeLines } from './change-lines.ts'
import type { Connections } from './connections.ts'
import {
  createEventHandler,
  type HandleChannelEvent,
  type SendMessage,
  type SetReaction,
  type TypedInGroups,
} from './event-handler.ts'
import { createFrameBudgets } from './frame-budgets.ts'
import type { Fronts } from './fronts.ts'
import { createPollers } from './pollers.ts'
import type { Presence } from './presence.ts'
import { createPresenceAnnouncer } from './presence-announcer.ts'
import { type AnswerPush, createPushTaker } from './push-taker.ts'
import { createSocketOpener } from './socket-opener.ts'

const peopleRemembered = 20_000

/** Joins connections with presence and sign-ins: what a device receives, and when it is cut off. */
export function createRealtime(options: {
  storage: Pick<Storage, 'signals' | 'database'>
  /** The current epoch of a person's databases. */
  epochOf: (userId: string) => string
  directory: Directory
  relations: Relations
  privacy: Privacy
  /** Undefined while there are no groups. */
  groups: TypedInGroups | undefined
  sessions: Sessions
  presence: Presence
  fronts: Fronts
  connections: Connections
  identify: (token: string) => Promise<TokenHolder | null>
  answerPush: AnswerPush
  /** Called with each person who pushes. */
  recordActive: (userId: string) => void
  log: Log
  sendMessage: SendMessage
  setReaction: SetReaction
  onChannelEvent: HandleChannelEvent
  recordContactTyping: (userId: string, contactId: string) => void
  announceEveryMs?: number | undefined
  usersOnlineMax?: number | undefined
  hereEveryMs?: number | undefined
  onError: (error: unknown) => void
}) {
  const { directory, relations, privacy, sessions, presence, fronts, connections, onError } =
    options
  const announcer = createPresenceAnnouncer({
    presence,
    connections,
    directory,
    privacy,
    onError,
    everyMs: options.announceEveryMs,
    usersOnlineMax: options.usersOnlineMax,
  })
  const newChats = createNewChatSight({
    presence,
    directory,
    privacy,
    onError,
    onFound: announcer.handleSightChanged,
  })
  const lines = createChangeLines({
    storage: options.storage,
    epochOf: options.epochOf,
    connections,
    everyMs: options.hereEveryMs,
  })
  const pushes = createPushTaker(options)
  const frameBudgets = createFrameBudgets()
  const handleEvent = createEventHandler({
    connections,
    announcer,
    fronts,
    relations,
    privacy,
    groups: options.groups,
    lines,
    pushes,
    sendMessage: options.sendMessage,
    setReaction: options.setReaction,
    onChannelEvent: options.onChannelEvent,
    recordContactTyping: options.recordContactTyping,
  })
  const stopListening = [
    presence.onChanged(announcer.handleChanged),
    newChats.close,
    relations.onChanged(announcer.handleSightChanged),
    privacy.onChanged((userId, names) => {
      if (names.includes('onlineFor')) announcer.handleResighted(userId)
    }),
    sessions.onEnded((ended) =>
      connections.closeSession(ended, socketCloseCodes.signInEnded, socketCloseWords.signInEnded),
    ),
  ]
  const door = { connections, presence, announcer, fronts, handleEvent, frameBudgets }
  const pollers = createPollers(door)
  return {
    pollers,
    /** Presence sent since the start. */
    presenceCounts: announcer.counts,
    countFollowed: lines.countFollowed,
    countPushes: pushes.countTaken,
    openSocket: createSocketOpener({
      ...door,
      lines,
      pushes,
      onError,
      identify: options.identify,
      prepare: privacy.prepare,
    }),
    close() {
      for (const stop of stopListening) stop()
      announcer.close()
      lines.close()
      pollers.close()
      connections.closeAll(1001, 'The server restarts.')
    },
  }
}

/**
 * Watches people who are online for those they have a chat with alone: whoever they begin a chat
 * with may see them from then on. The first look at a person finds everybody they have a chat with.
 * @param onFound called with people who may see somebody more
 */
function createNewChatSight(options: {
  presence: Pick<Presence, 'isOnline'>
  directory: Pick<Directory, 'listContacts' | 'onConversationsWritten'>
  privacy: Pick<Privacy, 'hidesOnline'>
  onFound: (viewerIds: readonly string[]) => void
  onError: (error: unknown) => void
}) {
  const { presence, directory, privacy, onFound, onError } = options
  const known = new LRUCache<string, ReadonlySet<string>>(atMost(peopleRemembered))
  /** People whose chats are being read, and whether they were written meanwhile. */
  const looking = new Map<string, boolean>()

  async function look(ownerId: string) {
    if (!presence.isOnline(ownerId) || !(await privacy.hidesOnline(ownerId))) return
    const before = known.get(ownerId)
    const contacts = await directory.listContacts(ownerId)
    known.set(ownerId, contacts)
    if (contacts !== before) onFound([...contacts].filter((id) => !before?.has(id)))
  }

  /** Receipts write conversations all the time: one look at a time for each person. */
  function request(ownerId: string) {
    if (looking.has(ownerId)) return void looking.set(ownerId, true)
    looking.set(ownerId, false)
    look(ownerId)
      .catch(onError)
      .finally(() => {
        const isWritten = looking.get(ownerId)
        looking.delete(ownerId)
        if (isWritten) request(ownerId)
      })
  }

  return { close: directory.onConversationsWritten(request) }
}
