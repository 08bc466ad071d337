import type { ConversationDocument } from '../../../schema/conversation.ts'
import { isAccepted, type MessageDocument, statusRank } from '../../../schema/message.ts'
import type { Messenger } from '../../sync/messenger-types.ts'

/** A message written on a device, which must never be lost. */
export interface Said {
  id: string
  authorId: string
  deviceName: string
  /** Its file's content; absent without a file. */
  fileWords?: string
}

/** One version, as its author's device held it right after writing. */
export type Version = Pick<MessageDocument, '_id' | 'content' | 'editedAt' | 'deletedAt'>

/** How far somebody has read and cleared a conversation. */
export type OwnMarks = Pick<ConversationDocument, 'readUpTo' | 'clearedUpTo'>

/** Watches every conversation on every device continuously, as people would. */
export interface Witness {
  /** Everything written so far. */
  readonly said: readonly Said[]
  /** Each message's texts by its id: the first one, every edit, and the deletion. */
  readonly versions: ReadonlyMap<string, readonly Version[]>
  /** Forbidden observations, in words. */
  readonly broken: readonly string[]
  recordSaid(said: Said): void
  recordVersion(version: Version): void
  /** By person and conversation: the furthest that a device of theirs has stored. No other device may take it back. */
  readonly marks: ReadonlyMap<string, ReadonlyMap<string, OwnMarks>>
  recordMarks(userId: string, conversation: OwnMarks & { _id: string }): void
  /** Forgets this device's observations after an erasure: it fills again, in arrival order. */
  excuse(deviceName: string): void
  /**
   * The server has forgotten accepted messages. Those whose author's device missed the acceptance
   * get a new place, which no earlier marks cover: their ticks start over. At the old place none
   * may fall.
   */
  recordForgotten(): void
  /** What an app newer than all of the lab's sealed, by the message's id. */
  readonly newer: ReadonlyMap<string, string>
  /** A message that no app here can read; the server may have refused it, or died before. */
  recordNewer(id: string, sealed: string): void
  /** From now on pushes from this device with these words are refused on the way. */
  recordBarred(deviceName: string, words: string): void
  /** Everything that a device told as set aside or passed by others, at any time. */
  readonly aside: ReadonlySet<string>
  /** Watches one tab; returns the function that stops it. */
  watch(deviceName: string, messenger: Messenger): () => void
}

export function createWitness(): Witness {
  const said: Said[] = []
  const versions = new Map<string, Version[]>()
  const marks = new Map<string, Map<string, OwnMarks>>()
  const broken: string[] = []
  const newer = new Map<string, string>()
  const excused = new Set<string>()
  const aside = new Set<string>()
  const barred = new Map<string, string[]>()
  let isForgotten = false
  /** The observations of each device's closed tabs: a later tab sees no less. */
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
    aside,
    newer,
    recordNewer: (id, sealed) => void newer.set(id, sealed),
    recordBarred(deviceName, words) {
      barred.set(deviceName, [...(barred.get(deviceName) ?? []), words])
    },
    recordSaid: (one) => void said.push(one),
    recordVersion({ _id, content, editedAt, deletedAt }) {
      const before = versions.get(_id) ?? []
      versions.set(_id, [...before, { _id, content, editedAt, deletedAt }])
    },
    marks,
    recordMarks(userId, { _id, readUpTo, clearedUpTo }) {
      const own = marks.get(userId) ?? new Map<string, OwnMarks>()
      marks.set(userId, own)
      const before = own.get(_id)
      own.set(_id, {
        readUpTo: Math.max(readUpTo, before?.readUpTo ?? 0),
        clearedUpTo: Math.max(clearedUpTo, before?.clearedUpTo ?? 0),
      })
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

      messenger.setAside.subscribe(() => {
        for (const [id, { status, words }] of messenger.setAside.getSnapshot()) {
          aside.add(id)
          // The server says by its own words why it refuses one.
          if (words !== undefined || barred.has(deviceName)) continue
          broken.push(`P6: ${deviceName} set ${id} aside for a ${status} that met everything`)
        }
      })
      messenger.files.uploads.subscribe(() => {
        for (const [id, state] of messenger.files.uploads.getSnapshot()) {
          if (state.kind === 'waiting' && state.isPassed) aside.add(id)
        }
      })
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
