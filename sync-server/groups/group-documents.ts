import type { GroupLineDocument } from '../../schema/api/groups.ts'
import type { MarkRises } from '../../schema/api/mark-rises.ts'
import { type GroupDocument, mayReadPlace } from '../../schema/group.ts'
import type { MessageDocument } from '../../schema/message.ts'
import { withoutRev } from '../storage/documents/documents.ts'

/** The database that says which groups each person is or was in. */
export const groupIndexName = 'groups'

/** A person's part in a group; stays when they leave, since they go on reading what was there. */
export interface GroupOfPerson {
  _id: string
  userId: string
  groupId: string
  /** How often they came. With each time they may read more than before. */
  times: number
}

/** A group that is over: its id is never given again, or a late request would bring it back. */
export interface GroupOver {
  _id: string
  overAt: number
}

/** The group's authors may have to be told how far the others are. */
export interface GroupUntold {
  _id: string
  groupId: string
}

/** A link's code, and the group that it leads to; stays when it is withdrawn, to say so. */
export interface GroupInvited {
  _id: string
  groupId: string
}

/** A message's file is being given to a group, or taken back: what a crash left is settled at the next start. */
export interface GroupFileMove {
  _id: string
  groupId: string
  messageId: string
  mediaUrl: string
  senderId: string
}

export type GroupIndexDocument =
  | GroupOfPerson
  | GroupOver
  | GroupUntold
  | GroupInvited
  | GroupFileMove

export const groupOfPersonKey = (userId: string, groupId: string) => `of:${userId}:${groupId}`
export const groupOverKey = (groupId: string) => `over:${groupId}`

export const groupInviteKey = (code: string) => `invite:${code}`
export const groupFileMovePrefix = 'moving:'
export const groupFileMoveKey = ({ groupId, messageId, mediaUrl }: Omit<GroupFileMove, '_id'>) =>
  `${groupFileMovePrefix}${groupId}:${messageId}:${mediaUrl.split('/').at(-1)}`
export const groupUntoldKey = (groupId: string) => `untold:${groupId}`

/** The place of a message as a key: keys of one length sort as numbers do. */
export const placeKey = (place: number) => `at-${String(place).padStart(16, '0')}`
export const readPlaceKey = (key: string) => Number(key.slice('at-'.length))
export const newestPlaceKey = 'place'

export interface NewestPlace {
  _id: typeof newestPlaceKey
  place: number
}

/** How far a member is, and what they were told of the others. All are places. */
export interface GroupMark {
  _id: string
  userId: string
  deliveredUpTo: number
  /** As far as they let others know. */
  readUpTo: number
  /** As far as they read while they hid it: when that was is told to nobody. Not in memory either. */
  hiddenUpTo?: number
  /** Their newest message. */
  wroteUpTo: number
  toldDeliveredUpTo: number
  toldReadUpTo: number
  /** When the marks rose, of the latest times. Not in memory: a screen asks for them now and then. */
  deliveredRises?: MarkRises
  readRises?: MarkRises
}

export const markKey = (userId: string) => `mark-${userId}`

/** Somebody waits for an admin to let them in. */
export interface GroupAsk {
  _id: string
  userId: string
  askedAt: number
  /** Of the link that they have. */
  code: string
}

export const askKey = (userId: string) => `ask-${userId}`

/** The admins did not let somebody in by this link. */
export interface GroupDeclined {
  _id: string
  code: string
}

export const declinedKey = (userId: string) => `declined-${userId}`

export interface MessageAtPlace {
  _id: string
  messageId: string
}

/** A message with the place of its last change: who left before that reads an earlier version. */
interface Placed {
  changedPlace: number
}

export type StoredGroupMessage = (MessageDocument | GroupLineDocument) &
  Placed & {
    /** What was there when somebody left, before the first change after that; oldest first. */
    earlier?: readonly (MessageDocument & Placed)[]
  }

/** The document as its readers get it. */
export function withoutPlaces<T extends StoredGroupMessage>(
  stored: T,
): Omit<T, 'changedPlace' | 'earlier'> {
  const { changedPlace, earlier, ...message } = stored
  return message
}

/**
 * What this person may read of a message: its newest version in their window. A deleted one has
 * nothing left to read, so nobody keeps its words.
 */
export function findReadable(
  group: Pick<GroupDocument, 'members' | 'former'>,
  userId: string,
  stored: StoredGroupMessage,
): MessageDocument | GroupLineDocument | undefined {
  if (!mayReadPlace(group, userId, stored.orderedAt)) return undefined
  const isReadable = ({ changedPlace }: Placed) => mayReadPlace(group, userId, changedPlace)
  if (stored.deletedAt !== undefined || isReadable(stored)) return withoutPlaces(stored)
  const version = stored.earlier?.findLast(isReadable)
  return version && withoutPlaces(version)
}

/** A record without members is over. */
export function joinGroup(
  stored: (GroupDocument & { _rev?: string }) | undefined,
  newest: Pick<NewestPlace, 'place'> | undefined,
): GroupDocument | undefined {
  if (!stored || stored.members.length === 0) return undefined
  const lastPlace = Math.max(stored.lastPlace, newest?.place ?? 0)
  return { ...withoutRev(stored), lastPlace }
}
