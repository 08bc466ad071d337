import { getChangedDocumentsSince } from 'rxdb/plugins/core'
import type { MessageDocument } from '../../../schema/message.ts'
import { subscribeToChanges } from '../storage/collections.ts'
import { readDexie } from '../storage/dexie/owed-notes.ts'
import {
  dropSetBack,
  readSetBack,
  type SetBack,
  usualDelayMs,
} from '../storage/dexie/record-set-back.ts'
import type { PetrelDatabase } from '../storage/open-database.ts'
import { countDocuments, queryDocuments, readDocuments } from '../storage/read-documents.ts'
import { fromStoredMessage, type StoredMessage } from '../storage/stored-message.ts'
import type { MessageSource } from './message-source.ts'

/** RxDB's read position: the time of the last write, epoch ms with decimals, and a message id. */
interface Checkpoint {
  lwt: number
  id: string
}

const wholeCollection = { selector: {}, sort: [{ _id: 'asc' as const }], index: ['_id'] }

/** A person's database as the source of the search. Close the index before the database. */
export function createMessageSource(database: PetrelDatabase): MessageSource<MessageDocument> {
  const { messages, conversations } = database
  const state = {
    isFirst: true,
    /** The time of the earliest write reported since the last read. */
    heard: Number.POSITIVE_INFINITY,
    /** The clock was set back before that, and what was written then has been read. */
    setBack: undefined as SetBack | undefined,
  }
  let marks: Promise<Map<string, number>> | undefined

  /**
   * Another tab may store its write after a later one was read, and the page may close before
   * hearing of it: so the first read goes back a little, or as far as the clock was set back.
   */
  async function findStart(checkpoint: Checkpoint | undefined) {
    if (!state.isFirst || !checkpoint) return Number.POSITIVE_INFINITY
    state.setBack = await readSetBack(await readDexie(messages.storageInstance))
    return Math.min(checkpoint.lwt - usualDelayMs, state.setBack?.lwt ?? Number.POSITIVE_INFINITY)
  }

  async function loadMarks(): Promise<Map<string, number>> {
    const found = await queryDocuments(conversations, wholeCollection)
    return new Map(
      found.flatMap((one) => (one.clearedUpTo > 0 ? [[one._id, one.clearedUpTo]] : [])),
    )
  }

  return {
    async readChanges(after, limit) {
      const checkpoint = after as Checkpoint | undefined
      const first = await findStart(checkpoint)
      const { heard } = state
      state.heard = Number.POSITIVE_INFINITY
      const from = Math.min(heard, first)
      const start = checkpoint && from < checkpoint.lwt ? { lwt: from, id: '' } : checkpoint
      try {
        const changes = await getChangedDocumentsSince<StoredMessage, Checkpoint | undefined>(
          messages.storageInstance,
          limit,
          start,
        )
        state.isFirst = false
        return { messages: changes.documents.map(toSearchable), next: changes.checkpoint }
      } catch (error) {
        state.heard = Math.min(state.heard, heard)
        throw error
      }
    },
    async settle() {
      const { setBack } = state
      if (!setBack) return
      state.setBack = undefined
      await dropSetBack(await readDexie(messages.storageInstance), setBack)
    },
    async readMessages(ids) {
      const found = await readDocuments(messages, ids)
      return new Map([...found].map(([id, message]) => [id, toSearchable(message)]))
    },
    async readClearedMarks() {
      marks ??= loadMarks().catch((error) => {
        marks = undefined
        throw error
      })
      return marks
    },
    countMessages: () => countDocuments(messages, wholeCollection),
    subscribe(onChange) {
      const endings = [
        subscribeToChanges(messages, ({ documents }) => {
          for (const { _meta } of documents) state.heard = Math.min(state.heard, _meta.lwt)
          onChange()
        }),
        subscribeToChanges(conversations, ({ documents }) => {
          if (!documents.some(({ clearedUpTo }) => clearedUpTo > 0)) return
          marks = undefined
          onChange()
        }),
      ]
      return () => {
        for (const end of endings) end()
      }
    },
  }
}

function toSearchable(stored: StoredMessage): MessageDocument {
  const message = fromStoredMessage(stored)
  const isShown = stored.shelf !== '' && stored.deletedAt === undefined
  return isShown ? message : { ...message, content: '' }
}
