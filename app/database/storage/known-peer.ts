import type { GroupRole, GroupSettings } from '../../../schema/group.ts'
import type { PublicUser } from '../../../schema/user.ts'

/** A person's record as this device last received it. */
export interface KnownPerson extends PublicUser {
  /** The account is deleted; its messages stay, under the name for deleted accounts. */
  isDeleted?: true
  isGroup?: undefined
}

/** A group's record as this device last received it, or made it. */
export interface KnownGroup {
  isGroup: true
  _id: string
  name: string
  description: string
  picture: string | null
  /** Those who are in it, in the order in which they came. */
  members: readonly KnownMember[]
  settings: GroupSettings
  createdBy: string
  /** The newest place of the group when this was received: what a change was asked for after. */
  lastPlace: number
  /** The place of the last change of its members; an earlier build did not store it. */
  membersAt?: number | undefined
  /** Absent while this person is in it. */
  hasLeft?: true
}

export interface KnownMember {
  userId: string
  role: GroupRole
  /** ISO. */
  joinedAt: string
  /** They read also what was written before they came, and need the secrets from then. */
  seesHistory?: true | undefined
}

/** Whoever a conversation is with. What only a person has can be read after asking `isGroup`. */
export type KnownPeer = KnownPerson | KnownGroup

/** The name that screens show. */
export function nameOf(peer: KnownPeer | undefined): string {
  if (peer?.isGroup) return peer.name || 'Group Chat'
  return peer?.username ?? 'Unknown'
}

export function pictureOf(peer: KnownPeer | undefined): string | undefined {
  return (peer?.isGroup ? peer.picture : peer?.profilePicture) ?? undefined
}

/** By the record, which a change replaces: in a large group each member is asked for. */
const readsFrom = new WeakMap<KnownGroup, ReadonlyMap<string, number>>()

/** The place, epoch ms, from which a present member reads the group; 0 for its beginning. */
export function findReadFrom(group: KnownGroup | undefined, memberId: string): number {
  if (!group) return 0
  const known =
    readsFrom.get(group) ??
    new Map(
      group.members.map((one) => [one.userId, one.seesHistory ? 0 : Date.parse(one.joinedAt)]),
    )
  readsFrom.set(group, known)
  return known.get(memberId) ?? 0
}

/** Why this person cannot write into the group now, if so: they left, or only admins write there. */
export function findGroupObstacle(
  { hasLeft, members, settings }: KnownGroup,
  ownId: string,
): 'left' | 'admins' | undefined {
  if (hasLeft) return 'left'
  const own = members.find(({ userId }) => userId === ownId)
  return settings.whoWrites === 'admins' && own?.role === 'member' ? 'admins' : undefined
}
