import { randomBytes } from 'node:crypto'
import type { GroupPreview } from '../../schema/api/groups.ts'
import {
  countInviteUse,
  type GroupDocument,
  type GroupInvite,
  type GroupRefusal,
  type GroupRefusalCode,
  refusalOfGroup,
  weighInvite,
} from '../../schema/group.ts'
import { limits } from '../../schema/limits.ts'
import { RequestRefused } from '../http/core/request-refused.ts'
import { deriveId } from '../lib/derive-id.ts'
import { nameGroupDatabase, nameGroupOrderDatabase } from '../storage/documents/database-names.ts'
import { type Document, idsFrom } from '../storage/documents/documents.ts'
import type { DatabaseWrite, ReadPart } from '../storage/documents/transaction.ts'
import type { Storage } from '../storage/storage.ts'
import {
  askKey,
  declinedKey,
  type GroupAsk,
  type GroupDeclined,
  type GroupInvited,
  groupIndexName,
  groupInviteKey,
  joinGroup,
  type NewestPlace,
  newestPlaceKey,
} from './group-documents.ts'
import type { AskedGroupChange } from './groups.ts'

/** 128 bits that nobody can guess. */
const codeBytes = 16

/** Reads whether so many people have an account at a time. */
const peopleAtOnce = 32

/**
 * A group's link, and who waits to be let in by it. The code is looked at in the transaction that
 * lets somebody in: of that and of a withdrawal at the same moment the first to arrive wins.
 * @param change the way of every change of a group
 * @param takeJoin counts a link that is followed; @throws RequestRefused beyond the bound
 * @param takeTurn counts what an admin does; @throws RequestRefused
 * @param tell hints at something new, to these members
 */
export function createGroupInvites(options: {
  storage: Storage
  find: (groupId: string) => Promise<GroupDocument | undefined>
  change: (asked: AskedGroupChange) => Promise<{ group: GroupDocument | undefined; isNew: boolean }>
  isKnown: (userId: string) => Promise<boolean>
  takeJoin: (userId: string) => { giveBack(): void }
  takeTurn: (userId: string) => void
  tell: (groupId: string, userIds: Iterable<string>) => void
  now: () => number
}) {
  const { storage, find, change, isKnown, takeJoin, takeTurn, tell, now } = options
  const index = storage.database<GroupInvited>(groupIndexName)

  /** Who may invite: its admins. To who is not in it there is no such group. */
  function findBar(group: GroupDocument | undefined, userId: string): GroupRefusalCode | undefined {
    const member = group?.members.find((one) => one.userId === userId)
    if (!member) return 'group_not_found'
    return member.role === 'member' ? 'admins_only' : undefined
  }

  async function findForAdmin(userId: string, groupId: string): Promise<GroupDocument> {
    const group = await find(groupId)
    const bar = findBar(group, userId)
    if (!group || bar) throw refused(bar ?? 'group_not_found')
    return group
  }

  /** Decides about the group as it is stored. @throws RequestRefused with the reason */
  async function decideStored<Result>(asked: {
    groupId: string
    orderIds?: readonly string[]
    decide: (
      group: GroupDocument | undefined,
      readOrder: ReadonlyMap<string, Document>,
    ) => { refusal: GroupRefusalCode } | { writes: readonly DatabaseWrite[]; result: Result }
  }): Promise<Result> {
    const { groupId, orderIds = [], decide } = asked
    const names = { group: nameGroupDatabase(groupId), order: nameGroupOrderDatabase(groupId) }
    const { result } = await storage.transact<{ refusal: GroupRefusal } | { done: Result }>({
      parts: [
        { name: names.group, ids: [groupId] },
        { name: names.order, ids: [newestPlaceKey, ...orderIds] },
        { name: groupIndexName, ids: [] },
      ],
      decide(read: ReadPart) {
        const newest = read<NewestPlace>(names.order).get(newestPlaceKey)
        const group = joinGroup(read<GroupDocument>(names.group).get(groupId), newest)
        const decided = decide(group, read<Document>(names.order))
        return 'refusal' in decided
          ? { writes: [], result: { refusal: refusalOfGroup(decided.refusal) } }
          : { writes: decided.writes, result: { done: decided.result } }
      },
    })
    if ('refusal' in result) throw refused(result.refusal.code)
    return result.done
  }

  async function setInvite(
    actorId: string,
    groupId: string,
    make: (group: GroupDocument) => GroupInvite | undefined,
  ): Promise<GroupInvite | undefined> {
    return await decideStored({
      groupId,
      decide(group) {
        const bar = findBar(group, actorId)
        if (!group || bar) return { refusal: bar ?? 'group_not_found' }
        const { invite: _, ...rest } = group
        const invite = make(group)
        if (invite === group.invite) return { writes: [], result: invite }
        const code = invite && { _id: groupInviteKey(invite.code), groupId }
        return {
          writes: [
            { name: nameGroupDatabase(groupId), put: [{ ...rest, ...(invite && { invite }) }] },
            ...(code ? [{ name: groupIndexName, create: [code] }] : []),
          ],
          result: invite,
        }
      },
    })
  }

  /** @throws RequestRefused for a code that was never given, or whose group is over */
  async function findByCode(code: string): Promise<GroupDocument> {
    const key = groupInviteKey(code)
    const known = (await index.read([key])).get(key)
    if (!known) throw refused('invite_unknown')
    const group = await find(known.groupId)
    if (!group) throw refused('invite_over')
    return group
  }

  /** @throws RequestRefused why this link does not hold for them */
  async function followCode(userId: string, code: string) {
    const group = await findByCode(code)
    const { _id: groupId, members } = group
    const isMember = members.some((one) => one.userId === userId)
    const problem = weighInvite(group, { userId, code, now: now() })
    const isAsking = !isMember && (await isWaiting(userId, groupId))
    const isOpen = problem === undefined || problem === 'ask'
    // Who is in, or waits, needs no room; a link that was withdrawn leads nobody anywhere.
    const isEnough = isOpen || ((isMember || isAsking) && problem !== 'invite_revoked')
    if (!isEnough) throw refused(problem)
    return { group, isMember, isAsking }
  }

  async function isWaiting(userId: string, groupId: string): Promise<boolean> {
    const order = storage.database<GroupAsk>(nameGroupOrderDatabase(groupId))
    return (await order.read([askKey(userId)])).has(askKey(userId))
  }

  async function listAsks(groupId: string): Promise<GroupAsk[]> {
    const order = storage.database<GroupAsk>(nameGroupOrderDatabase(groupId))
    return await order.range(idsFrom(askKey('')))
  }

  /** @returns whether they are new among those who wait */
  async function ask(userId: string, groupId: string, code: string): Promise<boolean> {
    if ((await listAsks(groupId)).length >= limits.groups.waitingMax)
      throw refused('too_many_waiting')
    const order = nameGroupOrderDatabase(groupId)
    const [asksKey, declined] = [askKey(userId), declinedKey(userId)]
    return await decideStored<boolean>({
      groupId,
      orderIds: [asksKey, declined],
      decide(group, stored) {
        if (!group) return { refusal: 'invite_over' }
        if (stored.has(asksKey)) return { writes: [], result: false }
        const problem = weighInvite(group, { userId, code, now: now() })
        if (problem !== 'ask') return { refusal: problem ?? 'invite_revoked' }
        const before = stored.get(declined) as GroupDeclined | undefined
        if (before?.code === code) return { refusal: 'request_declined' }
        const asked: GroupAsk = { _id: asksKey, userId, askedAt: now(), code }
        return {
          writes: [
            { name: order, put: [asked] },
            { name: nameGroupDatabase(groupId), put: [countInviteUse(group)] },
          ],
          result: true,
        }
      },
    })
  }

  return {
    /** A new link; the one before holds no longer. @throws RequestRefused */
    async make(
      actorId: string,
      groupId: string,
      wanted: {
        requiresApproval: boolean
        usesMax?: number | undefined
        endsAt?: number | undefined
      },
    ): Promise<GroupInvite> {
      const { requiresApproval, usesMax, endsAt } = wanted
      if (endsAt !== undefined && endsAt <= now()) {
        const words = 'The link would have ended already: choose a later time.'
        throw new RequestRefused('invalid_input', { words, details: 'endsAt' })
      }
      await findForAdmin(actorId, groupId)
      takeTurn(actorId)
      const code = randomBytes(codeBytes).toString('base64url')
      const made = await setInvite(actorId, groupId, ({ lastPlace: place }) => ({
        ...{ code, requiresApproval, uses: 0, place },
        ...(usesMax !== undefined && { usesMax }),
        ...(endsAt !== undefined && { endsAt }),
      }))
      if (!made) throw new Error('a link was not made')
      return made
    },

    /** The link that holds now, for admins. @throws RequestRefused */
    read: async (actorId: string, groupId: string): Promise<GroupInvite | undefined> =>
      (await findForAdmin(actorId, groupId)).invite,

    /**
     * @param code of the link that is meant: a newer one that another admin made stays
     * @throws RequestRefused
     */
    async revoke(actorId: string, groupId: string, code?: string): Promise<void> {
      await findForAdmin(actorId, groupId)
      await setInvite(actorId, groupId, ({ invite }) =>
        code === undefined || invite?.code === code ? undefined : invite,
      )
    },

    /** What somebody with a link learns of its group. @throws RequestRefused why it does not hold */
    async preview(userId: string, code: string): Promise<GroupPreview> {
      const { group, isMember, isAsking } = await followCode(userId, code)
      const { _id: groupId, name, picture, members } = group
      return {
        name,
        // With the code, since who is outside sees it by that alone.
        picture: picture ? `${picture}?code=${code}` : null,
        memberCount: members.length,
        requiresApproval: group.invite?.requiresApproval ?? false,
        state: isMember ? 'member' : isAsking ? 'waiting' : 'outside',
        ...(isMember && { groupId }),
      }
    },

    /** The group that this link leads them to; undefined where it does not hold. */
    async leadsTo(userId: string, code: string): Promise<string | undefined> {
      try {
        return (await followCode(userId, code)).group._id
      } catch (error) {
        if (error instanceof RequestRefused) return undefined
        throw error
      }
    },

    /**
     * Comes in by a link, or asks to.
     * @returns the group; undefined while they wait for an admin
     * @throws RequestRefused
     */
    async join(
      userId: string,
      code: string,
      requestId: string,
    ): Promise<GroupDocument | undefined> {
      const group = await findByCode(code)
      const { _id: groupId, members } = group
      if (members.some((one) => one.userId === userId)) return group
      if (await isWaiting(userId, groupId)) return undefined
      if (weighInvite(group, { userId, code, now: now() }) !== 'ask') {
        const asked = { groupId, actorId: userId, requestId, code }
        return (await change({ ...asked, change: { kind: 'join' } })).group
      }
      const taken = takeJoin(userId)
      let isNew = false
      try {
        isNew = await ask(userId, groupId, code)
      } finally {
        if (!isNew) taken.giveBack()
      }
      const admins = members.filter(({ role }) => role !== 'member')
      if (isNew)
        tell(
          groupId,
          admins.map((one) => one.userId),
        )
      return undefined
    },

    /** Who waits, the longest first, for admins. @throws RequestRefused */
    async listRequests(actorId: string, groupId: string): Promise<GroupAsk[]> {
      const { members } = await findForAdmin(actorId, groupId)
      const inside = new Set(members.map(({ userId }) => userId))
      const asks = (await listAsks(groupId)).filter(({ userId }) => !inside.has(userId))
      const waiting: GroupAsk[] = []
      for (let at = 0; at < asks.length; at += peopleAtOnce) {
        const part = asks.slice(at, at + peopleAtOnce)
        const known = await Promise.all(part.map(({ userId }) => isKnown(userId)))
        waiting.push(...part.filter((_, place) => known[place]))
      }
      return waiting.sort((a, b) => a.askedAt - b.askedAt || (a.userId < b.userId ? -1 : 1))
    },

    /** @returns the group after it. @throws RequestRefused `request_not_found` */
    async answer(asked: {
      actorId: string
      groupId: string
      userId: string
      isAccepted: boolean
    }): Promise<GroupDocument> {
      const { actorId, groupId, userId, isAccepted } = asked
      const group = await findForAdmin(actorId, groupId)
      const key = askKey(userId)
      const order = storage.database<GroupAsk>(nameGroupOrderDatabase(groupId))
      const waiting = (await order.read([key])).get(key)
      if (!waiting) {
        // Another admin was quicker, or the answer to this one was lost.
        const isInside = group.members.some((one) => one.userId === userId)
        const declined = storage.database<GroupDeclined>(order.name)
        const isDeclined = !isInside && (await declined.read([declinedKey(userId)])).size > 0
        if (isAccepted ? isInside : isDeclined) return group
        throw refused('request_not_found')
      }
      if (isAccepted) {
        const requestId = deriveId(`${groupId} ${waiting.askedAt}`, `${userId} by ${actorId}`)
        const adding = { kind: 'add' as const, userIds: [userId] }
        const added = await change({
          ...{ groupId, actorId, requestId, change: adding },
          isAskedFor: true,
        })
        return added.group ?? group
      }
      takeTurn(actorId)
      await decideStored<void>({
        groupId,
        orderIds: [key, declinedKey(userId)],
        decide(current, stored) {
          const bar = findBar(current, actorId)
          if (bar) return { refusal: bar }
          const known = stored.get(key) as GroupAsk | undefined
          if (!known) return { refusal: 'request_not_found' }
          const declined: GroupDeclined = { _id: declinedKey(userId), code: known.code }
          return {
            writes: [{ name: order.name, put: [{ ...known, _deleted: true }, declined] }],
            result: undefined,
          }
        },
      })
      return group
    },
  }
}

function refused(code: GroupRefusalCode): RequestRefused {
  return new RequestRefused(code)
}
