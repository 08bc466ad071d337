import pLimit from 'p-limit'
import type {
  ConversationAnswer,
  ConversationStats,
} from '../../../schema/api/conversation-answer.ts'
import {
  type GroupAnswer,
  groupMessageDocument,
  lineOf,
  toGroupAnswer,
} from '../../../schema/api/groups.ts'
import type { MessageAnswer } from '../../../schema/api/message-answer.ts'
import type { ConversationDocument } from '../../../schema/conversation.ts'
import { failMessage } from '../../../schema/decide-message.ts'
import type { GroupDocument } from '../../../schema/group.ts'
import { pickMentions } from '../../../schema/helpers/mentions.ts'
import { limits } from '../../../schema/limits.ts'
import { isIncoming, type MessageDocument } from '../../../schema/message.ts'
import type { FairQueue } from '../../budget/fair-queue.ts'
import type { Groups } from '../../groups/groups.ts'
import { toIso, toIsoOrNull } from '../../lib/to-iso.ts'
import { type NewMessage, proposeMessage } from '../../messages/proposals/proposal.ts'
import { RequestRefused } from '../core/request-refused.ts'
import { type MessagePresenter, presentParty } from './message-presenter.ts'
import { throwRefusal } from './message-writer.ts'

/** A group's name for those who are not in it any more: it may have changed since. */
const leftGroupName = 'Group Chat'

/** Reads several groups at a time, so that one long list does not saturate the disk. */
const groupsAtOnce = 8

/** What a list of conversations says of one with a group. */
type GroupConversation = Pick<
  ConversationAnswer,
  | 'user'
  | 'groupName'
  | 'groupAvatar'
  | 'groupMembers'
  | 'groupMemberCount'
  | 'lastMessage'
  | 'unreadCount'
> & { lastPlace: number }

export type GroupCalls = ReturnType<typeof createGroupCalls>

/** The calls for messages, with a group's id where a person's stands. */
export function createGroupCalls(options: { groups: Groups; presenter: MessagePresenter }) {
  const { groups, presenter } = options

  async function present(userId: string, groupId: string, messages: readonly MessageDocument[]) {
    const [shown, group] = await Promise.all([
      presenter.presentAll(userId, messages),
      groups.find(groupId),
    ])
    const name = nameFor(userId, group)
    const profilePicture = (name !== undefined && group?.picture) || null
    const recipient = { _id: groupId, username: name ?? leftGroupName, profilePicture }
    return shown.map((message, index): MessageAnswer => {
      const document = messages[index]
      const line = document && lineOf(document)
      return { ...message, recipient, ...(line && { line }) }
    })
  }

  async function presentOne(userId: string, groupId: string, message: MessageDocument) {
    const [shown] = await present(userId, groupId, [message])
    if (!shown) throw new Error('a message was not presented')
    return shown
  }

  /** @returns what is stored now; with `refusal` nothing is, and `written` is what its author has */
  async function write(userId: string, groupId: string, message: NewMessage) {
    const proposal = proposeMessage({ senderId: userId, recipientId: groupId, message })
    const asked = { actorId: userId, groupId, proposals: [proposal] }
    const [outcome] = await groups.acceptMessages(asked)
    if (outcome?.kind === 'heldBack') {
      const { refusal } = outcome
      const proposed = groupMessageDocument.safeParse(proposal.raw).data
      if (!proposed) throw new RequestRefused(refusal.code, { words: refusal.error })
      const written = failMessage({ actorId: userId, proposed, refusal, now: Date.now() })
      return { written, refusal, isNew: false }
    }
    if (outcome?.kind !== 'stored') throw new Error('what was no deletion is not stored')
    return { written: outcome.doc as unknown as MessageDocument, isNew: outcome.isNew }
  }

  async function presentConversation(
    userId: string,
    conversation: ConversationDocument,
  ): Promise<GroupConversation | undefined> {
    const { _id: groupId } = conversation
    const group = await groups.find(groupId)
    if (!group) return undefined
    const { last, unreadCount } = await groups.summarise({ userId, group, marks: conversation })
    const groupName = nameFor(userId, group)
    const isMember = groupName !== undefined
    const listed = isMember ? group.members.slice(0, limits.groups.membersListed) : []
    const memberIds = listed.map((one) => one.userId)
    const [people, [lastMessage = null]] = await Promise.all([
      presenter.readPeople(userId, memberIds),
      present(userId, groupId, last ? [last] : []),
    ])
    return {
      user: {
        _id: groupId,
        username: groupName ?? leftGroupName,
        status: isMember ? group.description : '',
        profilePicture: (isMember && group.picture) || null,
        isOnline: false,
        lastSeen: null,
        createdAt: toIso(group.createdAt),
        whatsapp_connected: false,
      },
      ...(isMember && {
        groupName,
        ...(group.picture && { groupAvatar: group.picture }),
        groupMembers: memberIds.map((id) => presentParty(id, people)),
        groupMemberCount: group.members.length,
      }),
      lastMessage,
      lastPlace: last?.orderedAt ?? 0,
      unreadCount,
    }
  }

  return {
    /** The groups that this person is in. */
    async listGroups(userId: string): Promise<GroupAnswer[]> {
      return (await groups.listFor(userId)).map(toGroupAnswer)
    },

    /** All that this person may read in groups, page by page in their turn, as it is stored and as it is shown. */
    async *walk(asked: { userId: string; scans: FairQueue; signal: AbortSignal }) {
      const { userId, scans, signal } = asked
      for (const { groupId } of await groups.listOwn(userId)) {
        const group = await groups.find(groupId)
        if (!group) continue
        const pages = groups.walk({ userId, group, upTo: group.lastPlace })
        for await (const stored of scans.walk({ key: userId, signal }, pages)) {
          yield { stored, shown: await present(userId, groupId, stored) }
        }
      }
    },

    /** Is or was this person in a group of this id? To all others it does not exist. */
    async isOfPerson(userId: string, groupId: string): Promise<boolean> {
      return (await groups.findOwn(userId, groupId)) !== undefined
    },

    /** Those of a person's conversations that are with groups, by the groups' ids. */
    async presentConversations(
      userId: string,
      conversations: readonly ConversationDocument[],
    ): Promise<ReadonlyMap<string, GroupConversation>> {
      const own = new Set((await groups.listOwn(userId)).map(({ groupId }) => groupId))
      const ofGroups = conversations.filter(({ _id }) => own.has(_id))
      const shown = await pLimit(groupsAtOnce).map(ofGroups, async (one) => {
        const found = await presentConversation(userId, one)
        return found ? [[one._id, found] as const] : []
      })
      return new Map(shown.flat())
    },

    /** The newest place in a group that this person may read. */
    async findNewestPlace(userId: string, groupId: string): Promise<number | undefined> {
      const found = await groups.listMessages({ userId, groupId, limit: 1 })
      return found?.[0]?.orderedAt
    },

    /** What a group holds for this person, page by page in their turn; stars are elsewhere. */
    async summarise(asked: {
      ownerId: string
      conversation: ConversationDocument
      scans: FairQueue
      signal: AbortSignal
    }): Promise<ConversationStats> {
      const { ownerId, conversation, scans, signal } = asked
      const { clearedUpTo, readUpTo } = conversation
      const counts = { total: 0, sent: 0, received: 0, unread: 0, starred: 0, media: 0 }
      const ends = { first: 0, last: 0 }
      const group = await groups.find(conversation._id)
      const walked = group
        ? { userId: ownerId, group, upTo: group.lastPlace, after: clearedUpTo }
        : undefined
      if (!walked) return { ...counts, firstMessageAt: null, lastMessageAt: null }
      for await (const page of scans.walk({ key: ownerId, signal }, groups.walk(walked))) {
        for (const message of page) {
          if (lineOf(message)) continue
          const { orderedAt, deletedAt, mediaUrl } = message
          const isReceived = isIncoming(message, ownerId)
          const isThere = deletedAt === undefined
          counts.total += 1
          counts.sent += Number(!isReceived)
          counts.received += Number(isReceived)
          counts.unread += Number(isReceived && isThere && orderedAt > readUpTo)
          counts.media += Number(isThere && mediaUrl !== undefined)
          ends.last ||= orderedAt
          ends.first = orderedAt
        }
      }
      const firstMessageAt = toIsoOrNull(ends.first)
      return { ...counts, firstMessageAt, lastMessageAt: toIsoOrNull(ends.last) }
    },

    /**
     * The fields of a message that mentions these people; none where it mentions nobody.
     * @throws RequestRefused `not_in_group`; `invalid_input` where the text does not name them
     */
    async nameMentioned(
      userId: string,
      groupId: string,
      {
        content,
        sealed,
        mentions,
      }: Pick<NewMessage, 'content' | 'sealed'> & { mentions: readonly string[] },
    ): Promise<Pick<NewMessage, 'mentions' | 'mentionedIds'>> {
      const mentionedIds = [...new Set(mentions)]
      if (mentionedIds.length === 0) return {}
      const group = await groups.findFor(userId, groupId)
      const members = new Set(group?.members.map((one) => one.userId))
      // Who writes but has left hears that first.
      if (group && !mentionedIds.every((id) => members.has(id))) {
        throw new RequestRefused('not_in_group')
      }
      if (sealed !== undefined) return { mentionedIds }
      const people = await presenter.readPeople(userId, mentionedIds)
      const named = pickMentions(
        content,
        mentionedIds.map((id) => ({ userId: id, name: presentParty(id, people).username })),
      )
      const missing = mentionedIds.find((id) => !named.some((one) => one.userId === id))
      if (missing !== undefined) {
        const { username } = presentParty(missing, people)
        const words = `Write @${username} in the text to mention ${username}.`
        throw new RequestRefused('invalid_input', { words })
      }
      return { mentions: named, mentionedIds }
    },

    /** @throws RequestRefused when it is refused: nothing is stored */
    async send(
      userId: string,
      groupId: string,
      message: NewMessage,
    ): Promise<{ shown: MessageAnswer; isNew: boolean }> {
      const { written, refusal, isNew } = await write(userId, groupId, message)
      throwRefusal(refusal)
      return { shown: await presentOne(userId, groupId, written), isNew }
    },

    /** A message of any of this person's groups, as they may read it. */
    async findMessage(userId: string, id: string): Promise<MessageDocument | undefined> {
      for (const { groupId } of await groups.listOwn(userId)) {
        const [found] = await groups.readMessages({ userId, groupId, ids: [id] })
        if (found && !lineOf(found)) return found
      }
      return undefined
    },

    /** As `send`, of what is sent on to several: a refused one is failed, with the reason. */
    async sendOn(userId: string, groupId: string, message: NewMessage): Promise<MessageAnswer> {
      const { written } = await write(userId, groupId, message)
      return await presentOne(userId, groupId, written)
    },

    /** @throws RequestRefused `message_not_found` for a `before` that the person may not read */
    async list(
      userId: string,
      groupId: string,
      page: { before?: string | undefined; limit: number },
    ): Promise<MessageAnswer[]> {
      const { before, limit } = page
      const found = await groups.listMessages({ userId, groupId, before, limit })
      if (!found) throw new RequestRefused('message_not_found')
      return await present(userId, groupId, found)
    },
  }
}

/** The group's name, for its members. */
function nameFor(userId: string, group: GroupDocument | undefined): string | undefined {
  return group?.members.some((one) => one.userId === userId) ? group.name : undefined
}
