import type { OwnUser, ProfileChange } from '../../../schema/user.ts'

/** What a person asks of the server that is not a document, and that may have to wait for the network. */
export type QueuedRequest =
  | { kind: 'profile'; change: ProfileChange }
  | { kind: 'settings'; settings: OwnUser['settings'] }
  | { kind: 'picture'; picture: Blob }
  | { kind: 'block'; userId: string; blocked: boolean }
  | { kind: 'report'; userId: string; reason: string }
  | { kind: 'forward'; messageId: string; recipientIds: readonly string[] }

/** A request as it is kept on the device. */
export interface RequestEntry {
  /** Random, for life: the same request by every way and every repetition, also to the server (P2). */
  _id: string
  request: QueuedRequest
  /** Requests about one thing go in their order, one at a time. */
  resource: string
  /** When it was asked, epoch ms. */
  timestamp: number
  /** `refused`: the server said no, and why; it waits for the person. */
  state: 'waiting' | 'refused'
  /** Why it was refused, or why it has not gone yet. */
  problem?: { words: string; code: string }
}

/** What a request is about, given the id of its entry. */
export function resourceKey(request: QueuedRequest, entryId: string): string {
  switch (request.kind) {
    case 'profile':
    case 'picture':
      return 'profile'
    case 'settings':
      return 'settings'
    case 'block':
      return `person:${request.userId}`
    default:
      return `${request.kind}:${entryId}`
  }
}
