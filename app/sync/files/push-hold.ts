import type { MessageDocument } from '../../../schema/message.ts'
import type { PendingFiles } from './pending-files.ts'

export type PushHold = ReturnType<typeof createPushHold>

/** Keeps documents back that must not be pushed yet. They stay owed, and are offered when they may be. */
export function createPushHold(pending: PendingFiles) {
  const held = new Map<string, MessageDocument>()
  return {
    /** Those that may be pushed now. */
    async takeFree<T extends { _id: string }>(documents: readonly T[]): Promise<T[]> {
      await pending.ready()
      return documents.filter((document) => {
        const message = document as unknown as MessageDocument
        const isHeld = pending.isHeld(message)
        if (isHeld) held.set(message._id, message)
        else held.delete(message._id)
        return !isHeld
      })
    },
    /** Was it kept back the last time? Then the server does not hold it, whatever RxDB believes. */
    has: (id: string) => held.has(id),
    /** It may not be pushed yet. */
    isWaiting(id: string): boolean {
      const message = pending.get(id) ?? held.get(id)
      return message !== undefined && pending.isHeld(message)
    },
    /** Calls `listener` whenever one of them may have become free. */
    onFree: (listener: () => void) =>
      pending.subscribe(() => {
        if (held.size > 0) listener()
      }),
  }
}
