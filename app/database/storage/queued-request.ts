import type { ReportedMessage } from '../../../schema/api/usage.ts'
import type { GroupChange } from '../../../schema/group.ts'
import type { TimedSettings } from '../../../schema/settings.ts'
import type { ProfileChange } from '../../../schema/user.ts'

export const filePrefix = 'file|'

export const addressPrefix = 'address|'

/** Settings with the times at which they were set; without them they are set when they arrive. */
type SettingsChange = Pick<TimedSettings, 'settings'> & Partial<Pick<TimedSettings, 'settingsAt'>>

/** A person's request to the server that is not a document and may wait for the network. */
export type QueuedRequest =
  | { kind: 'profile'; change: ProfileChange }
  | ({ kind: 'settings' } & SettingsChange)
  | { kind: 'picture'; picture: Blob }
  | { kind: 'block'; userId: string; blocked: boolean }
  | {
      kind: 'report'
      userId: string
      reason: string
      /** What both wrote last, in plain words: the person has agreed to that. */
      messages?: readonly ReportedMessage[]
    }
  | { kind: 'forward'; messageId: string; recipientIds: readonly string[] }
  | {
      kind: 'group'
      groupId: string
      change: GroupChange
      /** The newest place of the group that the person had seen. */
      seenUpTo?: number
      /** The one that its change is about: it has no address before the server has it. */
      picture?: Blob
    }
  | {
      /** Comes into a group by its link, or asks to. */
      kind: 'join'
      code: string
      /** As the link said; without it the person joined before it could be asked. */
      groupName?: string
    }
  /** Lets somebody in who asks to join, or not. */
  | { kind: 'join-answer'; groupId: string; userId: string; isAccepted: boolean }
  /** Withdraws this link, and no newer one. */
  | { kind: 'withdraw-link'; groupId: string; code: string }

/** A stored request. */
export interface RequestEntry {
  /** Random, for life: identifies the request on every path and retry, also to the server (P2). */
  _id: string
  request: QueuedRequest
  /** Requests about one thing go in order, one at a time. */
  resource: string
  /** When the person made it, epoch ms. */
  timestamp: number
  /** `refused`: the server refused it and said why; it waits for the person. */
  state: 'waiting' | 'refused'
  /** Why the server refused it, or why it is still waiting. */
  problem?: { words: string; code: string }
}

/** The request that makes this group, as long as the server has not made it. */
export function findGroupCreation(
  entries: readonly RequestEntry[],
  groupId: string,
): RequestEntry | undefined {
  return entries.find(
    ({ request }) =>
      request.kind === 'group' && request.groupId === groupId && request.change.kind === 'create',
  )
}

/** A request's subject, given the id of its entry. */
export function resourceKey(request: QueuedRequest, entryId: string): string {
  switch (request.kind) {
    case 'profile':
    case 'picture':
      return 'profile'
    case 'settings':
      return 'settings'
    case 'block':
      return `person:${request.userId}`
    case 'group':
    case 'join-answer':
    case 'withdraw-link':
      return groupResource(request.groupId)
    case 'join':
      return `join:${request.code}`
    default:
      return `${request.kind}:${entryId}`
  }
}

/** Of all requests about one group: each is decided on the group as the one before left it. */
const groupResource = (groupId: string) => `group:${groupId}`

/** A file on this device, by its message. */
export interface KeptFile {
  /** `filePrefix` and the message's id. */
  id: string
  file: Blob
  /** When this device stored it, epoch ms. */
  at: number
}
