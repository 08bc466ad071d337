import type { MessageDocument } from '../../../schema/message.ts'
import type { RequestEntry } from '../../database/storage/queued-request.ts'
import type { LiveValue } from '../../database/views/live-value.ts'

/** Numbers for the list's header. Requests count as messages do. */
export interface OutboxCounts {
  waiting: number
  /** Refused, and left to the person. */
  failed: number
}

/** The messages whose deletion can still be undone, by their ids. */
export interface HiddenMessages {
  deleted: ReadonlyMap<string, unknown>
}

export type OutboxItem =
  | { kind: 'message'; id: string; at: number; message: MessageDocument; isBehindFile: boolean }
  /** A change of a sent message that the server refused. */
  | { kind: 'change'; id: string; at: number; message: MessageDocument }
  | { kind: 'request'; id: string; at: number; entry: RequestEntry }

/** What a waiting change of a sent message, or of a chat, does. */
export type OwedWhat =
  | 'deleted'
  | 'edited'
  | 'starred'
  | 'unstarred'
  | 'hidden'
  | 'unhidden'
  | 'reacted'
  | 'read'
  | 'cleared'
  | 'pinned'
  | 'unpinned'
  | 'archived'
  | 'unarchived'
  | 'muted'
  | 'unmuted'

/** A change of something that the server has already. */
export interface OwedChange {
  id: string
  peerId: string
  /** When this device wrote it, epoch ms. */
  at: number
  what: readonly OwedWhat[]
}

export interface OutboxPage {
  /** Newest first. */
  failed: readonly OutboxItem[]
  waiting: readonly OutboxItem[]
  changes: readonly OwedChange[]
  hasMore: boolean
}

/** Everything that waits or was refused, while a screen shows it. The caller closes it. */
export interface OutboxView {
  /** Undefined until loaded. */
  page: LiveValue<OutboxPage | undefined>
  showMore(): void
  /** Sends everything that was refused again. */
  sendAllAgain(): Promise<void>
  /** Why the network or the server keeps refusing a push: its status. */
  findRefusedStatus(id: string): number | undefined
  /** The server's own reason, if it is the server that refuses it. */
  findRefusedWords(id: string): string | undefined
  /** Ms until this device tries again by itself; undefined when it is trying or cannot tell. */
  nextTryInMs(item: OutboxItem): number | undefined
  close(): void
}
