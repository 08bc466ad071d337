import { limits } from '../../../../schema/limits.ts'
import { markEveryMs as readEveryMs } from '../../../conversation/message-list/use-reading.ts'
import { gatherMs, markEveryMs } from '../../../sync/replication/receipts.ts'

interface Marked {
  _id: string
  deliveredUpTo: number
  readUpTo: number
}

/** The app's own: it reports arrivals after a moment, and as read what stayed in the open chat. */
const paces = {
  delivered: { afterMs: gatherMs, everyMs: markEveryMs },
  read: { afterMs: limits.markReadAfterMs, everyMs: readEveryMs },
}

/** Raises the marks of a device's open conversations. */
export function createMarkRaiser(options: { raise: (conversation: Marked) => void }) {
  const conversations = new Map<string, Marked>()
  const arrived = new Map<string, number>()
  const planned = new Map<string, NodeJS.Timeout>()
  const toldAt = new Map<string, number>()

  /** Called when the current report is due; it includes arrivals until then. */
  function plan(peerId: string, kind: 'delivered' | 'read') {
    const { afterMs, everyMs } = paces[kind]
    const key = `${kind} ${peerId}`
    if (planned.has(key)) return
    const now = performance.now()
    const lastAt = toldAt.get(key) ?? Number.NEGATIVE_INFINITY
    const waitMs = Math.max(afterMs, lastAt + everyMs - now)
    const timer = setTimeout(() => {
      planned.delete(key)
      toldAt.set(key, performance.now())
      tell(peerId, kind)
    }, waitMs)
    planned.set(key, timer)
  }

  function tell(peerId: string, kind: 'delivered' | 'read') {
    const upTo = arrived.get(peerId) ?? 0
    const before = conversations.get(peerId) ?? { _id: peerId, deliveredUpTo: 0, readUpTo: 0 }
    const next = {
      ...before,
      deliveredUpTo: Math.max(before.deliveredUpTo, upTo),
      readUpTo: kind === 'read' ? Math.max(before.readUpTo, upTo) : before.readUpTo,
    }
    const isHigher = next.deliveredUpTo > before.deliveredUpTo || next.readUpTo > before.readUpTo
    if (!isHigher) return
    conversations.set(peerId, next)
    options.raise(next)
  }

  return {
    know(doc: { _id: string }) {
      const before = conversations.get(doc._id)
      const told = { deliveredUpTo: 0, readUpTo: 0, ...doc }
      conversations.set(doc._id, {
        ...told,
        deliveredUpTo: Math.max(told.deliveredUpTo, before?.deliveredUpTo ?? 0),
        readUpTo: Math.max(told.readUpTo, before?.readUpTo ?? 0),
      })
    },
    arrive(peerId: string, orderedAt: number) {
      arrived.set(peerId, Math.max(arrived.get(peerId) ?? 0, orderedAt))
      plan(peerId, 'delivered')
      plan(peerId, 'read')
    },
    close() {
      for (const timer of planned.values()) clearTimeout(timer)
    },
  }
}
