import { socketCloseCodes, socketCloseWords } from '../../schema/api/socket-events.ts'
import type { Directory } from '../access/directory/directory.ts'
import type { Privacy } from '../access/privacy/privacy.ts'
import type { Relations } from '../access/relations.ts'
import type { Sessions } from '../access/sessions.ts'
import type { TokenHolder } from '../access/token-keeper.ts'
import type { Log } from '../lib/log.ts'
import type { Storage } from '../storage/storage.ts'
import { createChangeLines } from './change-lines.ts'
import type { Connections } from './connections/connections.ts'
import { createFrameBudgets } from './connections/frame-budgets.ts'
import {
  createEventHandler,
  type HandleChannelEvent,
  type SendMessage,
  type SetReaction,
} from './event-handler.ts'
import { createPollers } from './pollers.ts'
import type { Fronts } from './presence/fronts.ts'
import { createNewChatSight } from './presence/new-chat-sight.ts'
import type { Presence } from './presence/presence.ts'
import { createPresenceAnnouncer } from './presence/presence-announcer.ts'
import { type AnswerPush, createPushTaker } from './push-taker.ts'
import { createSocketOpener } from './socket-opener.ts'

/** Joins connections with presence and sign-ins: what a device receives, and when it is cut off. */
export function createRealtime(options: {
  storage: Pick<Storage, 'signals' | 'database'>
  /** The current epoch of a person's databases. */
  epochOf: (userId: string) => string
  directory: Directory
  relations: Relations
  privacy: Privacy
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
