import { isAccepted, type MessageDocument } from '../../../schema/message.ts'
import { statusRank } from '../../../schema/status-rank.ts'
import type { Messenger } from '../../sync/messenger-types.ts'

/** A message that somebody has written on a device, and that must never be lost. */
export interface Said {
  id: string
  authorId: string
  deviceName: string
  /** What its file says; absent where it has none. */
  fileWords?: string
}

/** A version of it, as its author's device held it right after it was written. */
export type Version = Pick<MessageDocument, '_id' | 'content' | 'editedAt' | 'deletedAt'>

/** Looks at every conversation on every device all the time, as people would. */
export interface Witness {
  /** Everything that was written. */
  readonly said: readonly Said[]
  /** All that was written into each message, by its id: the first text, every edit, and the deletion. */
  readonly versions: ReadonlyMap<string, readonly Version[]>
  /** What was seen and must never be seen, in words. */
  readonly broken: readonly string[]
  recordSaid(said: Said): void
  recordVersion(version: Version): void
  /** What was seen on this device was taken off it: it is filled anew, and shows what comes as it comes. */
  excuse(deviceName: string): void
  /**
   * The server has forgotten what it had taken. What its author's device did not know to be taken it takes anew, at a new
   * place, for which nobody's marks count: its ticks begin again. At its old place none may fall.
   */
  recordForgotten(): void
  /** Looks over the shoulder at one tab; gives a function that ends it. */
  watch(deviceName: string, messenger: Messenger): () => void
}

export function createWitness(): Witness {
  const said: Said[] = []
  const versions = new Map<string, Version[]>()
  const broken: string[] = []
  const excused = new Set<string>()
  let isForgotten = false
  /** What the closed tabs of each device had seen: a tab that opens later sees no less. */
  const seenBefore = new Map<string, Map<string, MessageDocument>>()

  function compare(deviceName: string, before: MessageDocument, now: MessageDocument) {
    if (!isAccepted(before) || excused.has(deviceName)) return
    if (isForgotten && now.orderedAt > before.orderedAt) return
    if (now.attempt < before.attempt || statusRank(now) < statusRank(before)) {
      broken.push(`${deviceName} saw ${now._id} fall from ${before.status} to ${now.status}`)
    }
  }

  return {
    said,
    versions,
    broken,
    excuse: (deviceName) => void excused.add(deviceName),
    recordForgotten() {
      isForgotten = true
    },
    recordSaid: (one) => void said.push(one),
    recordVersion({ _id, content, editedAt, deletedAt }) {
      const before = versions.get(_id) ?? []
      versions.set(_id, [...before, { _id, content, editedAt, deletedAt }])
    },
    watch(deviceName, messenger) {
      const seen = new Map(seenBefore.get(deviceName))
      const watched = new Set<string>()
      const { conversations } = messenger

      function look(message: MessageDocument) {
        const before = seen.get(message._id)
        if (before) compare(deviceName, before, message)
        seen.set(message._id, message)
      }

      conversations.subscribe(() => {
        for (const { peerId } of conversations.getSnapshot()) {
          if (watched.has(peerId)) continue
          watched.add(peerId)
          const { messages } = messenger.openConversation(peerId)
          messages.subscribe(() => messages.getSnapshot().items.forEach(look))
        }
      })
      return () => {
        const all = seenBefore.get(deviceName) ?? new Map<string, MessageDocument>()
        for (const [id, message] of seen) {
          const other = all.get(id)
          if (!other || statusRank(other) <= statusRank(message)) all.set(id, message)
        }
        seenBefore.set(deviceName, all)
      }
    },
  }
}
