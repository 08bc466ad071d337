import { LRUCache } from 'lru-cache'
import type { ClientEvent } from '../../schema/api/socket-events.ts'
import { type GroupDocument, refuseGroupWriter } from '../../schema/group.ts'
import { unreachable } from '../../schema/helpers/assertions.ts'
import { limits } from '../../schema/limits.ts'
import type { Privacy } from '../access/privacy.ts'
import type { Relations } from '../access/relations.ts'
import { atMost } from '../lib/at-most.ts'
import type { ChangeLines } from './change-lines.ts'
import type { Connection, Connections } from './connections.ts'
import type { Fronts } from './fronts.ts'
import type { PresenceAnnouncer } from './presence-announcer.ts'
import type { PushTaker } from './push-taker.ts'

const pairsRemembered = 20_000

const groupsRemembered = 20_000
const groupFramesPerSecond = 2_000

/** A short message begins and ends sooner than the next turn is due. */
const burst = 4

type SendMessageRequest = Extract<ClientEvent, { event: 'send-message' }>['data']

type SetReactionRequest = Extract<ClientEvent, { event: 'set-reaction' }>['data']

/** Stores a message from a socket, and notifies that device of a refusal. */
export type SendMessage = (connection: Connection, asked: SendMessageRequest) => Promise<void>

/** Stores a reaction from a socket, and notifies that device of a refusal. */
export type SetReaction = (connection: Connection, asked: SetReactionRequest) => Promise<void>

type ChannelEventName =
  | 'send-whatsapp-message'
  | 'subscribe-whatsapp-contact'
  | 'unsubscribe-whatsapp-contact'
  | 'join-whatsapp-conversation'
  | 'leave-whatsapp-conversation'
export type ChannelEvent = Extract<ClientEvent, { event: ChannelEventName }>

/** Executes a device's request to the business channel, and answers it. */
export type HandleChannelEvent = (connection: Connection, heard: ChannelEvent) => Promise<void>

export type EventHandler = ReturnType<typeof createEventHandler>

/** The groups in which people type. */
export interface TypedInGroups {
  /** The group, for its members only. */
  findFor(userId: string, groupId: string): Promise<GroupDocument | undefined>
}

/** Executes a device's requests, in the name of the person whose token it connected with. */
export function createEventHandler(options: {
  connections: Connections
  announcer: PresenceAnnouncer
  fronts: Pick<Fronts, 'record'>
  relations: Relations
  privacy: Pick<Privacy, 'showsOnline' | 'hidesOnline' | 'refusesFirst'>
  /** Undefined while there are no groups. */
  groups: TypedInGroups | undefined
  lines: ChangeLines
  pushes: Pick<PushTaker, 'take'>
  sendMessage: SendMessage
  setReaction: SetReaction
  onChannelEvent: HandleChannelEvent
  /** The person types to a contact on a business channel. */
  recordContactTyping: (userId: string, contactId: string) => void
}) {
  const { connections, announcer, relations, privacy, lines, sendMessage, setReaction } = options
  const { onChannelEvent, recordContactTyping, fronts, pushes, groups } = options

  const typingLimit = createTypingLimit()
  const groupFrames = createGroupFrames()

  async function relayTyping(userId: string, recipientId: string, event: TypingEvent) {
    // To one's own devices it costs nobody else anything.
    const isForOthers = recipientId !== userId
    if (isForOthers && !typingLimit.take({ senderId: userId, recipientId, event })) return
    const reach = await relations.canReach(userId, recipientId)
    if (reach === 'channel' && event === 'user-typing') recordContactTyping(userId, recipientId)
    if (reach === 'unknown_person') return await relayTypingInGroup(userId, recipientId, event)
    if (reach !== 'delivered') return
    if (await relations.areApart(userId, recipientId)) return
    // Typing says that somebody is online, and to strangers that they are about to write.
    if (!(await privacy.showsOnline(userId, recipientId))) return
    if (await privacy.refusesFirst(userId, recipientId)) return
    connections.tell(recipientId, { event, data: { userId } })
  }

  /** To the members who are online, where their devices know groups. */
  async function relayTypingInGroup(userId: string, groupId: string, event: TypingEvent) {
    const group = await groups?.findFor(userId, groupId)
    if (!group || refuseGroupWriter(group, userId)) return
    const { blocked, blockedBy } = await relations.readBlocks(userId)
    const isForChatsAlone = await privacy.hidesOnline(userId)
    const online = group.members.filter(
      (one) =>
        one.userId !== userId &&
        connections.has(one.userId) &&
        !blocked.has(one.userId) &&
        !blockedBy.has(one.userId),
    )
    if (!groupFrames.take(groupId, online.length)) return
    for (const { userId: memberId } of online) {
      if (isForChatsAlone && !(await privacy.showsOnline(userId, memberId))) continue
      connections.tell(memberId, { event, data: { userId, groupId } }, 'groups')
    }
  }

  return async (connection: Connection, heard: ClientEvent): Promise<void> => {
    const { userId } = connection.caller
    switch (heard.event) {
      case 'user-online':
        return await announcer.answer(connection)
      case 'typing':
        return await relayTyping(userId, heard.data.recipientId, 'user-typing')
      case 'stop-typing':
        return await relayTyping(userId, heard.data.recipientId, 'user-stop-typing')
      case 'watch-people':
        return await announcer.watch(connection, heard.data.userIds)
      case 'front':
        return fronts.record(connection, heard.data)
      case 'follow-changes':
        return await lines.follow(connection, heard.data)
      case 'push-documents':
        return await pushes.take(connection, heard.data)
      case 'send-message':
        return await sendMessage(connection, heard.data)
      case 'set-reaction':
        return await setReaction(connection, heard.data)
      case 'send-whatsapp-message':
      case 'subscribe-whatsapp-contact':
      case 'unsubscribe-whatsapp-contact':
      case 'join-whatsapp-conversation':
      case 'leave-whatsapp-conversation':
        return await onChannelEvent(connection, heard)
      default:
        return unreachable(heard)
    }
  }
}

/**
 * Bounds what all who type in one group cost its members' lines (P12): a full second's frames at
 * once, which is one word to the largest group. More is left out: the next word comes soon.
 * @param now ms, of a clock that never goes back
 */
export function createGroupFrames(now: () => number = () => performance.now()) {
  const buckets = new LRUCache<string, { left: number; at: number }>(atMost(groupsRemembered))
  return {
    take(groupId: string, frames: number): boolean {
      const at = now()
      const before = buckets.get(groupId)
      const filled = before ? before.left + ((at - before.at) / 1_000) * groupFramesPerSecond : 0
      const room = before ? Math.min(groupFramesPerSecond, filled) : groupFramesPerSecond
      const isTaken = frames <= room
      buckets.set(groupId, { left: isTaken ? room - frames : room, at })
      return isTaken
    },
  }
}

export type TypingEvent = 'user-typing' | 'user-stop-typing'

/**
 * Bounds what one person's typing costs another's line (P12): the same again no sooner than the app
 * says it, and a change at once while there are turns left.
 * @param now ms, of a clock that never goes back
 */
export function createTypingLimit(now: () => number = () => performance.now()) {
  /** What was last told, when, and the turns left then. */
  const told = new LRUCache<string, { event: TypingEvent; at: number; left: number }>(
    atMost(pairsRemembered),
  )
  return {
    /** @returns false when it is not to be told */
    take(said: { senderId: string; recipientId: string; event: TypingEvent }): boolean {
      const { senderId, recipientId, event } = said
      const pair = `${senderId} ${recipientId}`
      const at = now()
      const before = told.get(pair)
      const turns = before ? (at - before.at) / limits.typingEmitEveryMs : burst
      if (before?.event === event && turns < 1) return false
      const left = Math.min(burst, (before?.left ?? 0) + turns) - 1
      if (left < 0) return false
      told.set(pair, { event, at, left })
      return true
    },
  }
}
