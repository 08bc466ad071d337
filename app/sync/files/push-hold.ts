import { isUploadOwed, type MessageDocument } from '../../../schema/message.ts'
import type { OwnGroups } from '../groups/own-groups.ts'
import type { PendingFiles } from './pending-files.ts'
import type { PushSeal, Settled } from './push-seal.ts'

export type PushHold = ReturnType<typeof createPushHold>

/**
 * Holds back documents that must not be pushed yet: those that wait for a file, words that have to be
 * sealed before, and those in a group that the server has yet to make. They stay owed, and are offered once allowed.
 */
export function createPushHold(options: {
  pending: PendingFiles
  seal: PushSeal
  groups: Pick<OwnGroups, 'isUnborn' | 'onBorn'>
}) {
  const { pending, seal, groups } = options
  const held = new Map<string, MessageDocument>()
  const listeners = new Set<() => void>()

  /** Also holds documents behind one that waits for a retry, such as a current upload. */
  function isBehindHeld({ status, peerId, orderedAt, deletedAt }: MessageDocument): boolean {
    if (status !== 'sending' || deletedAt !== undefined) return false
    return [...held.values()].some(
      (other) => other.peerId === peerId && other.orderedAt < orderedAt && isOnItsWay(other),
    )
  }

  /** A file that was refused or cancelled is not sent. */
  function isOnItsWay(message: MessageDocument): boolean {
    if (message.status !== 'sending' || message.deletedAt !== undefined) return false
    return !isUploadOwed(message) || pending.isWaitedFor(message._id)
  }

  function take(message: MessageDocument, settled: Settled): boolean {
    held.delete(message._id)
    const isHeld =
      groups.isUnborn(message.peerId) ||
      pending.isHeld(message) ||
      settled.isHeld(message) ||
      isBehindHeld(message)
    if (isHeld) held.set(message._id, message)
    return !isHeld
  }

  function tell() {
    if (held.size > 0) for (const listener of listeners) listener()
  }

  const isWaiting = (message: MessageDocument) =>
    groups.isUnborn(message.peerId) ||
    pending.isHeld(pending.get(message._id) ?? message) ||
    seal.isWaiting(message)

  return {
    /**
     * @param serverOf the server's version of each, where it is known
     * @returns `free`: those that may be pushed now, in their order; `returned`: those that leave at no
     * time, and are owed to nobody
     */
    async sort<T extends { _id: string }>(
      documents: readonly T[],
      serverOf: (id: string) => unknown,
    ): Promise<{ free: T[]; returned: T[] }> {
      await pending.ready()
      const settled = await seal.settle(
        documents as unknown as MessageDocument[],
        (id) => serverOf(id) as MessageDocument | undefined,
      )
      const placed = documents.map((document) => ({
        document,
        message: document as unknown as MessageDocument,
      }))
      placed.sort((a, b) => a.message.orderedAt - b.message.orderedAt)
      const returned = documents.filter(({ _id }) => settled.isReturned(_id))
      for (const { _id } of returned) held.delete(_id)
      const free = placed.filter(
        ({ message }) => !settled.isReturned(message._id) && take(message, settled),
      )
      // Documents held behind only one of these get no other signal that they may go.
      const isFree = (message: MessageDocument) => !isWaiting(message) && !isBehindHeld(message)
      if ([...held.values()].some(isFree)) tell()
      return { free: free.map(({ document }) => document), returned }
    },
    /** Was it held back last time? Then the server lacks it, whatever RxDB believes. */
    has: (id: string) => held.has(id),
    /** It may not be pushed yet. */
    isWaiting(id: string): boolean {
      const message = held.get(id)
      return message !== undefined && isWaiting(message)
    },
    /** Calls `listener` whenever one of them may have become free. */
    onFree(listener: () => void): () => void {
      const unsubscribes = [pending.subscribe(tell), seal.subscribe(tell), groups.onBorn(tell)]
      listeners.add(listener)
      return () => {
        for (const unsubscribe of unsubscribes) unsubscribe()
        listeners.delete(listener)
      }
    },
  }
}
