import type { GroupRole } from '../../schema/group.ts'
import type { KnownGroup, KnownMember } from '../database/storage/known-peer.ts'

interface GroupRights {
  /** Is this person in the group? Else they can change nothing. */
  isIn: boolean
  /** May they add people, remove them, give roles, and change the settings? */
  isAdmin: boolean
  isOwner: boolean
  /** May they change the name, the picture and the description? */
  canDescribe: boolean
}

/** What this person may do, as the server decides it (`decideGroupChange`). */
export function readRights(group: KnownGroup, userId: string): GroupRights {
  const role = group.hasLeft ? undefined : group.members.find((one) => one.userId === userId)?.role
  const isAdmin = role === 'owner' || role === 'admin'
  return {
    isIn: role !== undefined,
    isAdmin,
    isOwner: role === 'owner',
    canDescribe: isAdmin || (role === 'member' && group.settings.whoChanges === 'all'),
  }
}

type MemberAction = 'message' | 'remove' | GroupRole

/** What this person may do with another member. */
export function listMemberActions(
  group: KnownGroup,
  userId: string,
  member: KnownMember,
): MemberAction[] {
  const { isAdmin, isOwner } = readRights(group, userId)
  if (!isAdmin || member.role === 'owner') return ['message']
  return [
    'message',
    member.role === 'member' ? 'admin' : 'member',
    ...(isOwner ? ['owner' as const] : []),
    'remove',
  ]
}

const ranks: Record<GroupRole, number> = { owner: 1, admin: 2, member: 3 }

/** Oneself first, then by role, then as they came. */
export function sortMembers(members: readonly KnownMember[], ownId: string): KnownMember[] {
  const rank = ({ userId, role }: KnownMember) => (userId === ownId ? 0 : ranks[role])
  return members.toSorted((a, b) => rank(a) - rank(b))
}
