import * as z from 'zod/mini'
import { id } from './id.ts'
import { limits } from './limits.ts'
import { epochMs } from './message.ts'

/** Where the server has it: an address elsewhere would reveal to that host who looks at it. */
const groupPicture = z.string().check(z.startsWith(limits.mediaPathPrefix), z.maxLength(200))

export const groupRoles = ['owner', 'admin', 'member'] as const
export type GroupRole = (typeof groupRoles)[number]

export const groupSettings = z.object({
  whoWrites: z.enum(['all', 'admins']),
  /** The name, the picture and the description. */
  whoChanges: z.enum(['all', 'admins']),
  /** Do newcomers read what was written before they came? */
  showsHistory: z.boolean(),
})
export type GroupSettings = z.infer<typeof groupSettings>

/** Places are `orderedAt` values of the group's conversation: each message and line has its own. */
const groupMember = z.object({
  userId: id,
  role: z.enum(groupRoles),
  /** The first place that they read. */
  from: epochMs,
  /** The place of the line that says that they came. */
  joinedPlace: epochMs,
  /** The place of the line that gave them their role. */
  rolePlace: epochMs,
  joinedAt: epochMs,
})
export type GroupMember = z.infer<typeof groupMember>

/** A time that is over: they read what lies at `from <= place < to`. */
const formerWindow = z.object({
  userId: id,
  from: epochMs,
  to: epochMs,
  /** An admin ended it. */
  isRemoved: z.optional(z.boolean()),
})

/** The one link into a group that holds now. Who has it may come, or ask to. */
const groupInvite = z.object({
  code: z.string(),
  requiresApproval: z.boolean(),
  usesMax: z.optional(z.int()),
  /** How many have come or asked. */
  uses: z.int(),
  endsAt: z.optional(epochMs),
  /** The newest place when it was made: who was removed after that cannot come by it. */
  place: epochMs,
})
export type GroupInvite = z.infer<typeof groupInvite>

/** A group as its server stores it, written only together with the line of its change. */
export const groupDocument = z.object({
  _id: id,
  name: z.string().check(z.maxLength(limits.groups.nameMaxLength)),
  description: z.string().check(z.maxLength(limits.groups.descriptionMaxLength)),
  /** Its address; null once it was removed. */
  picture: z.optional(z.nullable(groupPicture)),
  settings: groupSettings,
  members: z.array(groupMember),
  former: z.array(formerWindow),
  invite: z.optional(groupInvite),
  /** The newest place that is given. */
  lastPlace: epochMs,
  createdBy: id,
  createdAt: epochMs,
})
export type GroupDocument = z.infer<typeof groupDocument>

const userIds = z.array(id).check(z.minLength(1), z.maxLength(limits.groups.membersMax))

const changes = [
  z.object({
    kind: z.literal('create'),
    name: z.string(),
    description: z.string(),
    /** Nobody: a group of its maker alone, for now. */
    userIds: z.array(id).check(z.maxLength(limits.groups.membersMax)),
  }),
  z.object({ kind: z.literal('rename'), name: z.string() }),
  z.object({ kind: z.literal('describe'), description: z.string() }),
  z.object({ kind: z.literal('picture'), picture: z.nullable(groupPicture) }),
  z.object({ kind: z.literal('settings'), settings: z.partial(groupSettings) }),
  z.object({ kind: z.literal('add'), userIds }),
  z.object({ kind: z.literal('remove'), userId: id }),
  z.object({ kind: z.literal('role'), userId: id, role: z.enum(groupRoles) }),
  z.object({ kind: z.literal('leave') }),
] as const

/** What somebody wants of a group. Its id is also that of its line, so that twice is once (P2). */
export const groupChange = z.discriminatedUnion('kind', changes)
export type GroupChange = z.infer<typeof groupChange>

/** What a line can say: `join` is of somebody who came by the group's link, whose code stays out of it. */
export const groupLineChange = z.discriminatedUnion('kind', [
  ...changes,
  z.object({ kind: z.literal('join') }),
])
export type GroupLineChange = z.infer<typeof groupLineChange>

const words = {
  group_not_found: 'There is no such group, or you are not in it.',
  group_exists: 'This group was created already.',
  group_left: 'Not sent: you are not in this group any more. What was written until then stays.',
  admins_only: 'Only admins of this group can do that.',
  owner_only: 'Only the owner of this group can do that.',
  owner_stays: 'The owner of a group can leave it, but nobody can remove or demote them.',
  name_missing: 'A group needs a name.',
  name_too_long: `A group's name has at most ${limits.groups.nameMaxLength} characters.`,
  description_too_long: `A description has at most ${limits.groups.descriptionMaxLength} characters.`,
  group_full: `A group has at most ${limits.groups.membersMax.toLocaleString('en')} members.`,
  group_used_up: `So many people have come into this group and left it that nobody else can come in: ${limits.groups.membershipsMax.toLocaleString('en')} at most, each time counted. Create a new group instead.`,
  cannot_add:
    'Somebody among them cannot be added to groups by you. Nobody was added. Send them the group’s link instead.',
  not_in_group: 'This person is not in the group.',
  changed_meanwhile:
    'Somebody else changed that before your request arrived. Look at the group, then try again.',
  invite_unknown: 'There is no such link. Check it, or ask for it again.',
  invite_revoked: 'This link was withdrawn. Ask an admin of the group for a new one.',
  invite_over: 'This link has ended. Ask an admin of the group for a new one.',
  invite_used_up:
    'As many people as this link is for have used it. Ask an admin of the group for a new one.',
  approval_needed: 'An admin of the group has to let you in.',
  removed_before:
    'An admin removed you from this group after this link was made, so it does not let you in. Ask an admin to add you.',
  request_declined: 'The admins of this group did not let you in by this link.',
  came_too_often: 'You have come into this group too often to come back by a link.',
  request_not_found: 'This person does not ask to be let in, or not any more.',
  too_many_waiting: 'Too many people wait to be let into this group. Try again later.',
  too_many_groups: `You have made ${limits.groups.createdPerDay.max} groups within a day. Try again later.`,
  too_many_added:
    'You have added too many people to groups within an hour. Nobody was added. Try again later.',
  too_many_joins: 'You have followed too many links into groups within an hour. Try again later.',
} as const
export type GroupRefusalCode = keyof typeof words

/** Of a request; in a group's database each is the `code` of a refused row. */
const statuses: Record<GroupRefusalCode, number> = {
  group_not_found: 404,
  group_exists: 409,
  group_left: 403,
  admins_only: 403,
  owner_only: 403,
  owner_stays: 409,
  name_missing: 400,
  name_too_long: 400,
  description_too_long: 400,
  group_full: 409,
  group_used_up: 409,
  cannot_add: 403,
  not_in_group: 404,
  changed_meanwhile: 409,
  invite_unknown: 404,
  invite_revoked: 410,
  invite_over: 410,
  invite_used_up: 410,
  approval_needed: 403,
  removed_before: 403,
  request_declined: 403,
  came_too_often: 403,
  request_not_found: 404,
  too_many_waiting: 409,
  too_many_groups: 429,
  too_many_added: 429,
  too_many_joins: 429,
}

export const groupRefusalCodes = Object.keys(words) as GroupRefusalCode[]

/** The status and the words of a refusal. */
export function describeGroupRefusal(code: GroupRefusalCode): { status: number; error: string } {
  return { status: statuses[code], error: words[code] }
}

export interface GroupRefusal {
  code: GroupRefusalCode
  /** What happened and what to do, for a person. */
  error: string
}

/** A change in its place in the conversation, with who made it; `heirId`: the owner from then on. */
export interface GroupLine {
  place: number
  actorId: string
  change: GroupLineChange
  /** The people it concerned, without those who were in the group already. */
  userIds: readonly string[]
  heirId?: string
}

/**
 * What becomes of a change of a group.
 * - `keep`: it changes nothing, or was made already: no line.
 * - `accept`: store `next` together with `line`. `isOver`: nobody is left, the group goes.
 */
export type GroupDecision =
  | { kind: 'keep' }
  | { kind: 'accept'; next: GroupDocument; line: GroupLine; isOver: boolean }
  | { kind: 'refuse'; refusal: GroupRefusal }

export interface GroupProposal {
  groupId: string
  actorId: string
  stored: GroupDocument | undefined
  change: GroupLineChange
  /** Of who joins: what they have of the group's link. */
  code?: string | undefined
  /** Is there a line with this change's id? */
  isDone: boolean
  /** The newest place of the group that the actor had seen when they asked for it. */
  seenUpTo: number
  /** May the actor add this person, or who joins come? */
  canAdd: (userId: string) => boolean
  /** The server's time, epoch ms. */
  now: number
}

/**
 * The one rule for groups: the order in which changes arrive decides, and what was asked for
 * before somebody came, went or got a role never undoes that. Pure.
 */
export function decideGroupChange(proposal: GroupProposal): GroupDecision {
  const { stored, change, actorId, isDone } = proposal
  if (isDone) return { kind: 'keep' }
  if (change.kind === 'join') {
    const isOver = !stored || stored.members.length === 0
    return isOver ? refuse('invite_over') : join({ ...proposal, stored })
  }
  if (!stored) {
    return change.kind === 'create' ? create(proposal, change) : refuse('group_not_found')
  }
  const actor = findMember(stored, actorId)
  if (!actor) return refuse('group_not_found')
  if (change.kind === 'create') return refuse('group_exists')
  return changeStored({ ...proposal, stored }, actor, change)
}

/** May this person read what lies at that place? Every door asks this. */
export function mayReadPlace(
  { members, former }: Pick<GroupDocument, 'members' | 'former'>,
  userId: string,
  place: number,
): boolean {
  return (
    members.some((one) => one.userId === userId && place >= one.from) ||
    former.some((one) => one.userId === userId && place >= one.from && place < one.to)
  )
}

/** The next place: strictly growing, whatever the server's clock does. */
export function nextGroupPlace(
  group: Pick<GroupDocument, 'lastPlace'> | undefined,
  now: number,
): number {
  return Math.max(now, (group?.lastPlace ?? 0) + 1)
}

/** Why this person cannot change the group's name, picture or description; undefined if they can. */
export function refuseGroupEditor(
  group: GroupDocument | undefined,
  userId: string,
): GroupRefusal | undefined {
  const member = group && findMember(group, userId)
  if (!member) return refusalOfGroup('group_not_found')
  const isBarred = group.settings.whoChanges === 'admins' && member.role === 'member'
  return isBarred ? refusalOfGroup('admins_only') : undefined
}

/** Why this person cannot write in the group now; undefined if they can. */
export function refuseGroupWriter(
  group: GroupDocument | undefined,
  userId: string,
): GroupRefusal | undefined {
  const member = group && findMember(group, userId)
  if (!member) {
    return refusalOfGroup(group?.former.some(isOf(userId)) ? 'group_left' : 'group_not_found')
  }
  const isBarred = group.settings.whoWrites === 'admins' && member.role === 'member'
  return isBarred ? refusalOfGroup('admins_only') : undefined
}

type Stored = GroupProposal & { stored: GroupDocument }
/** Why this link does not let them in; `ask`: an admin may. Undefined: it does. */
export function weighInvite(
  { invite, members, former }: GroupDocument,
  asked: { userId: string; code: string | undefined; now: number },
): GroupRefusalCode | 'ask' | undefined {
  const { userId, code, now } = asked
  if (!invite || invite.code !== code) return 'invite_revoked'
  if (invite.endsAt !== undefined && invite.endsAt <= now) return 'invite_over'
  if (invite.usesMax !== undefined && invite.uses >= invite.usesMax) return 'invite_used_up'
  const wasRemoved = former.some(
    (one) => one.userId === userId && one.isRemoved === true && one.to - 1 > invite.place,
  )
  if (wasRemoved) return 'removed_before'
  const crowded = findCrowding({ members, former }, 1)
  if (crowded) return crowded
  return invite.requiresApproval ? 'ask' : undefined
}

/**
 * Why so many more cannot come. Each member may still leave, so that the bound on who was there
 * counts them, too, and never holds anybody back.
 */
function findCrowding(
  { members, former }: Pick<GroupDocument, 'members' | 'former'>,
  count: number,
): 'group_full' | 'group_used_up' | undefined {
  const { membersMax, membershipsMax } = limits.groups
  if (members.length + count > membersMax) return 'group_full'
  const isUsedUp = members.length + former.length + count > membershipsMax
  return isUsedUp ? 'group_used_up' : undefined
}

type ChangeOf<Kind extends GroupChange['kind']> = Extract<GroupChange, { kind: Kind }>

function create(proposal: GroupProposal, change: ChangeOf<'create'>): GroupDecision {
  const { groupId, actorId, now, canAdd } = proposal
  const others = [...new Set(change.userIds)].filter((userId) => userId !== actorId)
  const name = change.name.trim()
  const problem = findNameProblem(name) ?? findDescriptionProblem(change.description)
  if (problem) return refuse(problem)
  if (others.length + 1 > limits.groups.membersMax) return refuse('group_full')
  if (!others.every(canAdd)) return refuse('cannot_add')
  const place = nextGroupPlace(undefined, now)
  const enter = (userId: string, role: GroupRole): GroupMember => ({
    userId,
    role,
    from: place,
    joinedPlace: place,
    rolePlace: place,
    joinedAt: now,
  })
  const next: GroupDocument = {
    _id: groupId,
    name,
    description: change.description,
    settings: { whoWrites: 'all', whoChanges: 'all', showsHistory: false },
    members: [enter(actorId, 'owner'), ...others.map((userId) => enter(userId, 'member'))],
    former: [],
    lastPlace: place,
    createdBy: actorId,
    createdAt: now,
  }
  return accept(proposal, { next, place, userIds: others })
}

function changeStored(
  proposal: Stored,
  actor: GroupMember,
  change: Exclude<GroupChange, { kind: 'create' }>,
): GroupDecision {
  const { stored } = proposal
  const isAdmin = actor.role !== 'member'
  switch (change.kind) {
    case 'rename': {
      const name = change.name.trim()
      if (!isAdmin && stored.settings.whoChanges === 'admins') return refuse('admins_only')
      const problem = findNameProblem(name)
      if (problem) return refuse(problem)
      return name === stored.name ? { kind: 'keep' } : say(proposal, { name })
    }
    case 'describe': {
      const { description } = change
      if (!isAdmin && stored.settings.whoChanges === 'admins') return refuse('admins_only')
      const problem = findDescriptionProblem(description)
      if (problem) return refuse(problem)
      return description === stored.description ? { kind: 'keep' } : say(proposal, { description })
    }
    case 'picture': {
      const { picture } = change
      if (!isAdmin && stored.settings.whoChanges === 'admins') return refuse('admins_only')
      return picture === (stored.picture ?? null) ? { kind: 'keep' } : say(proposal, { picture })
    }
    case 'settings': {
      if (!isAdmin) return refuse('admins_only')
      const settings = { ...stored.settings, ...change.settings }
      const isSame =
        settings.whoWrites === stored.settings.whoWrites &&
        settings.whoChanges === stored.settings.whoChanges &&
        settings.showsHistory === stored.settings.showsHistory
      return isSame ? { kind: 'keep' } : say(proposal, { settings })
    }
    case 'add':
      return isAdmin ? add(proposal, change) : refuse('admins_only')
    case 'remove':
      return isAdmin ? remove(proposal, change.userId) : refuse('admins_only')
    case 'role':
      return isAdmin ? setRole(proposal, actor, change) : refuse('admins_only')
    case 'leave':
      return depart(proposal, actor)
  }
}

/** Accepts a change of nobody's membership. */
function say(
  proposal: Stored,
  changed: Partial<
    Pick<GroupDocument, 'name' | 'description' | 'picture' | 'settings' | 'members'>
  >,
  userIds: readonly string[] = [],
): GroupDecision {
  const place = nextGroupPlace(proposal.stored, proposal.now)
  return accept(proposal, { next: { ...proposal.stored, ...changed }, place, userIds })
}

function add(proposal: Stored, change: ChangeOf<'add'>): GroupDecision {
  const { stored, seenUpTo, canAdd } = proposal
  const added = [...new Set(change.userIds)].filter((userId) => !findMember(stored, userId))
  if (added.length === 0) return { kind: 'keep' }
  const crowded = findCrowding(stored, added.length)
  if (crowded) return refuse(crowded)
  // They went, or were removed, after this was asked for: a late word brings nobody back.
  const hasGone = ({ userId, to }: { userId: string; to: number }) =>
    added.includes(userId) && to - 1 > seenUpTo
  if (stored.former.some(hasGone)) return refuse('changed_meanwhile')
  if (!added.every(canAdd)) return refuse('cannot_add')
  return bringIn(proposal, added)
}

/** By the group's link: whoever has it, unless they were removed since it was made. */
function join(proposal: Stored): GroupDecision {
  const { stored, actorId, code, canAdd, now } = proposal
  if (findMember(stored, actorId)) return { kind: 'keep' }
  const problem = weighInvite(stored, { userId: actorId, code, now })
  if (problem) return refuse(problem === 'ask' ? 'approval_needed' : problem)
  if (!canAdd(actorId)) return refuse('came_too_often')
  return bringIn({ ...proposal, stored: countInviteUse(stored) }, [actorId])
}

/** The group after one more has come, or asked to, by its link. */
export function countInviteUse(group: GroupDocument): GroupDocument {
  const { invite } = group
  return invite ? { ...group, invite: { ...invite, uses: invite.uses + 1 } } : group
}

function bringIn(proposal: Stored, userIds: readonly string[]): GroupDecision {
  const { stored, now } = proposal
  const place = nextGroupPlace(stored, now)
  const from = stored.settings.showsHistory ? 0 : place
  const members = userIds.map((userId) => ({
    userId,
    role: 'member' as const,
    from,
    joinedPlace: place,
    rolePlace: place,
    joinedAt: now,
  }))
  const next = { ...stored, members: [...stored.members, ...members] }
  return accept(proposal, { next, place, userIds })
}

function remove(proposal: Stored, userId: string): GroupDecision {
  const { stored, actorId, seenUpTo } = proposal
  const member = findMember(stored, userId)
  if (!member) return stored.former.some(isOf(userId)) ? { kind: 'keep' } : refuse('not_in_group')
  if (userId === actorId) return depart(proposal, member)
  if (member.role === 'owner') return refuse('owner_stays')
  if (member.joinedPlace > seenUpTo) return refuse('changed_meanwhile')
  return depart(proposal, member)
}

function setRole(proposal: Stored, actor: GroupMember, change: ChangeOf<'role'>): GroupDecision {
  const { stored, seenUpTo } = proposal
  const { userId, role } = change
  const member = findMember(stored, userId)
  if (!member) return refuse('not_in_group')
  if (member.role === role) return { kind: 'keep' }
  if (member.role === 'owner') return refuse('owner_stays')
  if (role === 'owner' && actor.role !== 'owner') return refuse('owner_only')
  if (member.rolePlace > seenUpTo) return refuse('changed_meanwhile')
  const place = nextGroupPlace(stored, proposal.now)
  const members = stored.members.map((one) => {
    if (one.userId === userId) return { ...one, role, rolePlace: place }
    const isFormerOwner = role === 'owner' && one.userId === actor.userId
    return isFormerOwner ? { ...one, role: 'admin' as const, rolePlace: place } : one
  })
  return say(proposal, { members }, [userId])
}

/** Ends a membership: the line that says so is the last that they read. */
function depart(proposal: Stored, { userId, from, role }: GroupMember): GroupDecision {
  const { stored, now } = proposal
  const place = nextGroupPlace(stored, now)
  const left = stored.members.filter((one) => one.userId !== userId)
  const heirId = role === 'owner' ? findHeir(left)?.userId : undefined
  const members = left.map((one) =>
    one.userId === heirId ? { ...one, role: 'owner' as const, rolePlace: place } : one,
  )
  const isRemoved = proposal.change.kind === 'remove' && userId !== proposal.actorId
  const ended = { userId, from, to: place + 1, ...(isRemoved && { isRemoved }) }
  const former = [...stored.former, ended]
  const next = { ...stored, members, former }
  return accept(proposal, {
    next,
    place,
    userIds: [userId],
    ...(heirId !== undefined && { heirId }),
  })
}

/** The longest-standing admin, without one the longest-standing member. */
function findHeir(members: readonly GroupMember[]): GroupMember | undefined {
  const admins = members.filter(({ role }) => role === 'admin')
  const [heir] = (admins.length > 0 ? admins : members).toSorted(
    (a, b) => a.joinedPlace - b.joinedPlace || (a.userId < b.userId ? -1 : 1),
  )
  return heir
}

function accept(
  { actorId, change }: GroupProposal,
  said: { next: GroupDocument; place: number; userIds: readonly string[]; heirId?: string },
): GroupDecision {
  const { next, place, ...concerned } = said
  return {
    kind: 'accept',
    next: { ...next, lastPlace: place },
    line: { place, actorId, change, ...concerned },
    isOver: next.members.length === 0,
  }
}

function findMember({ members }: GroupDocument, userId: string): GroupMember | undefined {
  return members.find(isOf(userId))
}

const isOf = (userId: string) => (one: { userId: string }) => one.userId === userId

function findNameProblem(name: string): GroupRefusalCode | undefined {
  if (name === '') return 'name_missing'
  return name.length > limits.groups.nameMaxLength ? 'name_too_long' : undefined
}

function findDescriptionProblem(description: string): GroupRefusalCode | undefined {
  const isLong = description.length > limits.groups.descriptionMaxLength
  return isLong ? 'description_too_long' : undefined
}

export function refusalOfGroup(code: GroupRefusalCode): GroupRefusal {
  return { code, error: words[code] }
}

function refuse(code: GroupRefusalCode): GroupDecision {
  return { kind: 'refuse', refusal: refusalOfGroup(code) }
}
