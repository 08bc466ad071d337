import * as z from 'zod/mini'
import { type GroupDocument, groupLineChange, groupRoles, groupSettings } from '../group.ts'
import { groupEpoch } from '../group-epoch.ts'
import { id } from '../id.ts'
import { limits } from '../limits.ts'
import { epochMs, type MessageDocument, messageDocument } from '../message.ts'
import { markRises } from './mark-rises.ts'

const isoTime = z.iso.datetime()

/** A member as the others see them. `seesHistory`: also what was written before they came. */
const answeredMember = z.object({
  userId: id,
  role: z.enum(groupRoles),
  joinedAt: isoTime,
  seesHistory: z.optional(z.literal(true)),
})

/** A group as its members are answered. */
export const groupAnswer = z.object({
  _id: id,
  isGroup: z.literal(true),
  name: z.string(),
  description: z.string(),
  picture: z.nullable(z.string()),
  members: z.array(answeredMember),
  settings: groupSettings,
  createdAt: isoTime,
  createdBy: id,
  /** The newest place in it, which the caller has seen with this answer: `seenUpTo` of a change. */
  lastPlace: epochMs,
  /** The place of the last change of `members`. */
  membersAt: z.optional(epochMs),
})
export type GroupAnswer = z.infer<typeof groupAnswer>

/**
 * The record of a large group for who has it up to `membersSince`, a place: `members` has those alone
 * who came or got another role after it, and `gone` who left.
 */
export const groupPart = z.extend(groupAnswer, {
  membersAt: epochMs,
  membersSince: epochMs,
  gone: z.array(id),
})
export type GroupPart = z.infer<typeof groupPart>

/** @param group as its server stores it */
export function toGroupAnswer(group: GroupDocument): GroupAnswer {
  const { _id, name, description, picture = null, settings, createdBy, lastPlace } = group
  return {
    _id,
    isGroup: true,
    name,
    description,
    picture,
    members: group.members.map(({ userId, role, joinedAt, from, joinedPlace }) => ({
      userId,
      role,
      joinedAt: new Date(joinedAt).toISOString(),
      ...(from < joinedPlace && { seesHistory: true as const }),
    })),
    settings,
    createdAt: new Date(group.createdAt).toISOString(),
    createdBy,
    lastPlace,
    membersAt: readMembersAt(group),
  }
}

const readMembersAt = ({ members, former }: GroupDocument) =>
  Math.max(0, ...members.map((one) => one.rolePlace), ...former.map(({ to }) => to - 1))

/** More members than this are told by their changes. */
const membersWhole = 64
/** So many of the last changes of its members a part has. */
const partMost = 64

/** Has a group so many members that a change of it is told by a part? */
export const isToldByParts = ({ members }: { members: readonly unknown[] }) =>
  members.length > membersWhole

/**
 * @param since what the caller has; without it as far back as a part goes
 * @returns undefined where only the whole record says it
 */
export function toGroupPart(group: GroupDocument, since?: number): GroupPart | undefined {
  if (!isToldByParts(group)) return undefined
  const present = new Set(group.members.map(({ userId }) => userId))
  const changedAt = [
    ...group.members.map(({ userId, rolePlace }) => ({ userId, at: rolePlace })),
    ...group.former.map(({ userId, to }) => ({ userId, at: to - 1 })),
  ].sort((a, b) => b.at - a.at)
  const membersSince = since ?? changedAt[partMost]?.at ?? 0
  const changed = changedAt.filter(({ at }) => at > membersSince)
  if (changed.length > partMost) return undefined
  const ids = new Set(changed.map(({ userId }) => userId))
  const whole = toGroupAnswer(group)
  return {
    ...whole,
    membersAt: readMembersAt(group),
    membersSince,
    members: whole.members.filter(({ userId }) => ids.has(userId)),
    gone: [...ids].filter((userId) => !present.has(userId)),
  }
}

/**
 * The members after a part, in the order in which they came.
 * @returns undefined where these are not those that it follows on
 */
export function joinMembers<Member extends GroupAnswer['members'][number]>(
  before: { members: readonly Member[]; membersAt?: number | undefined } | undefined,
  part: Pick<GroupPart, 'members' | 'membersSince' | 'gone'>,
): (Member | GroupAnswer['members'][number])[] | undefined {
  if (before?.membersAt === undefined || before.membersAt < part.membersSince) return undefined
  const changed = new Map(part.members.map((one) => [one.userId, one]))
  const gone = new Set(part.gone)
  const kept = before.members.flatMap((one) => {
    const next = changed.get(one.userId)
    // Who came once more stands behind the others.
    const isOut = gone.has(one.userId) || (next !== undefined && next.joinedAt !== one.joinedAt)
    return isOut ? [] : [next ?? one]
  })
  const there = new Set(kept.map(({ userId }) => userId))
  return [...kept, ...part.members.filter(({ userId }) => !there.has(userId))]
}

/**
 * What a change may say beside itself: how far its author had seen the group when they asked. A
 * caller without a copy says nothing, and has seen all of it.
 */
const seenUpTo = z.optional(epochMs)

const memberIds = z.array(id, 'memberIds must be a list of ids')

/** POST /groups. `_id` makes a repeated call the same group (P2). */
export const groupCreation = z.object({
  _id: z.optional(id),
  name: z.string('A group needs a name.'),
  memberIds: memberIds.check(z.maxLength(2_000)),
  description: z._default(z.string(), ''),
})

/**
 * PUT /groups/{id}: one at a time, since each is a line of its own. A picture is only removed so: a
 * new one comes with its bytes.
 */
export const groupEdit = z
  .object({
    name: z.optional(z.string()),
    description: z.optional(z.string()),
    picture: z.optional(z.null()),
    settings: z.optional(z.partial(groupSettings)),
    seenUpTo,
  })
  .check(
    z.refine(
      ({ name, description, picture, settings }) =>
        [name, description, picture, settings].filter((one) => one !== undefined).length === 1,
      { error: 'Change one at a time: name, description, picture or settings.' },
    ),
  )

/** POST /groups/{id}/members */
export const groupAddition = z.object({
  memberIds: memberIds.check(z.minLength(1), z.maxLength(2_000)),
  seenUpTo,
})

/** PUT /groups/{id}/members/{userId} */
export const groupRoleChange = z.object({ role: z.enum(groupRoles), seenUpTo })

/** GET /groups/{id}/marks: places, as messages have them. Each implies all before. */
const upTo = { deliveredUpTo: epochMs, readUpTo: epochMs }
export const groupMarks = z.object({
  /**
   * Of all members but the caller; a member's begin at the place of the line that they came by.
   * `…Rises`: when they rose, of the latest; fewer for each in a large group.
   */
  marks: z.array(
    z.object({
      userId: id,
      ...upTo,
      deliveredRises: z.optional(markRises),
      readRises: z.optional(markRises),
    }),
  ),
  /** The smallest of them; 0 without others. */
  ...upTo,
})
export type GroupMarks = z.infer<typeof groupMarks>

/** POST /groups/{id}/invite: without anything, a link for everybody who has it, until withdrawn. */
export const groupInvitation = z.object({
  requiresApproval: z._default(z.boolean(), false),
  usesMax: z.optional(z.int().check(z.gte(1), z.lte(limits.groups.inviteUsesMax))),
  endsAt: z.optional(isoTime),
})

/** The link into a group, for its admins. `url` is a path where the server knows no address of its own. */
export const groupInviteAnswer = z.object({
  code: z.string(),
  url: z.string(),
  requiresApproval: z.boolean(),
  /** How many have come by it, or asked to. */
  uses: z.int(),
  usesMax: z.nullable(z.int()),
  endsAt: z.nullable(isoTime),
})
export type GroupInviteAnswer = z.infer<typeof groupInviteAnswer>

/** GET /groups/join/{code}: what somebody learns of a group before they are in it. */
export const groupPreview = z.object({
  name: z.string(),
  picture: z.nullable(z.string()),
  memberCount: z.int(),
  requiresApproval: z.boolean(),
  /** Of the caller; `waiting`: they have asked, and no admin has answered. */
  state: z.enum(['outside', 'waiting', 'member']),
  /** For members. */
  groupId: z.optional(id),
})
export type GroupPreview = z.infer<typeof groupPreview>

/** POST /groups/join/{code}: `group` is null while the caller waits for an admin. */
export const groupJoined = z.object({ group: z.nullable(groupAnswer) })

/** GET /groups/{id}/requests: who waits, the longest first. */
export const groupRequests = z.object({
  requests: z.array(z.object({ userId: id, askedAt: isoTime })),
})

/** POST /groups/{id}/requests/{userId} */
export const groupRequestReply = z.object({ isAccepted: z.boolean() })

/** What stands in the query of calls without a body. */
export const groupSeen = z.object({
  seenUpTo: z.optional(
    z.pipe(
      z.pipe(z.string().check(z.regex(/^\d{1,16}$/)), z.transform(Number)),
      z.number().check(z.lte(8.64e15)),
    ),
  ),
})

/**
 * A change in its place in the conversation, which is the `orderedAt` of the message that has it;
 * `heirId`: the owner from then on.
 */
export const storedLine = z.object({
  change: groupLineChange,
  /** The people it concerned, without those who were in the group already. */
  userIds: z.array(id),
  heirId: z.optional(id),
})

/**
 * A line in a group's database and in its `_changes`: a message without words, so that an app's
 * copy holds both alike. Its `_id` is that of the request that it came from, its `senderId` who
 * made the change. It never changes.
 */
export const groupLineDocument = z.extend(messageDocument, {
  isSystem: z.literal(true),
  line: storedLine,
})
export type GroupLineDocument = z.infer<typeof groupLineDocument>

/** A message of a group, a line, or a secret of its members. `line`, `epoch`: only in those. */
export const groupMessageDocument = z.extend(messageDocument, {
  line: z.optional(storedLine),
  epoch: z.optional(groupEpoch),
})
export type GroupMessageDocument = z.infer<typeof groupMessageDocument>

/** The change of the group that this line says, of a message that is one. */
export function lineOf(message: MessageDocument): GroupMessageDocument['line'] {
  return (message as GroupMessageDocument).line
}

const seq = z.union([z.string().check(z.maxLength(200)), z.int().check(z.gte(0))])

/** GET /groups/places */
export const groupPlaces = z.array(z.object({ groupId: id, seq, times: z.int() }))

/**
 * POST /sync/groups/_changes: how far the caller has each group. Groups that are not named are read
 * from their beginning.
 */
export const groupChangesAsked = z.object({
  since: z.record(z.string().check(z.maxLength(100)), seq),
  limit: z._default(z.int().check(z.gte(1), z.lte(500)), 50),
  /** Of groups whose record the caller has: `membersAt` of it. They may be answered by a part. */
  records: z.optional(z.record(z.string().check(z.maxLength(100)), epochMs)),
})

/** Its answer: the groups that have changed since. None is the end. */
export const groupChangesAnswer = z.object({
  /** Of the groups that the caller named, those that are over, or that they never were in. */
  gone: z.optional(z.array(z.string())),
  groups: z.array(
    z.object({
      _id: id,
      /** False once the caller left or was removed: the last row is the line that says so. */
      isMember: z.boolean(),
      /** For members, if it changed since. */
      group: z.optional(groupAnswer),
      /** In place of it, for who has the record from before. */
      part: z.optional(groupPart),
      results: z.array(z.object({ seq, doc: groupMessageDocument })),
      /** Opaque: begins again by itself where the caller may read more than before. */
      last_seq: seq,
    }),
  ),
})
export type GroupChangesAnswer = z.infer<typeof groupChangesAnswer>
