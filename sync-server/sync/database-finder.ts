import type { FairQueue } from '../budget/fair-queue.ts'
import type { Acceptance } from '../messages/message-acceptance.ts'
import {
  nameConversationsDatabase,
  nameMessagesDatabase,
} from '../storage/documents/database-names.ts'
import type { Document } from '../storage/documents/documents.ts'
import type { Storage } from '../storage/storage.ts'
import { forbidden, notFound } from './couch-error.ts'
import type { Epochs } from './epochs.ts'
import type { SyncDatabase } from './sync-database.ts'

/** Finds one of the caller's own two databases; the path says which, the token says whose (P8). */
export function createDatabaseFinder(options: {
  storage: Storage
  epochs: Pick<Epochs, 'of' | 'raise'>
  reads: Pick<FairQueue, 'once'>
  acceptance: Pick<Acceptance, 'acceptMessages' | 'acceptConversations'>
}) {
  const { storage, epochs, reads, acceptance } = options

  /**
   * @param takeSignal gives one that aborts when nobody waits for the answer
   * @throws CouchError for every other name
   */
  return function findDatabase(asked: {
    name: string
    actorId: string
    sessionId: string
    takeSignal: () => AbortSignal
  }): SyncDatabase {
    const { name, actorId, sessionId, takeSignal } = asked
    const turn: SyncDatabase['turn'] = (read) =>
      reads.once({ key: actorId, signal: takeSignal() }, read)
    const open = (stored: string) => ({
      name,
      turn,
      stored: storage.database<Document>(stored),
      epoch: () => epochs.of(actorId),
      recordAhead: (knownEpoch: string | undefined) => epochs.raise(actorId, knownEpoch),
    })
    switch (name) {
      case 'messages':
        return {
          ...open(nameMessagesDatabase(actorId)),
          accept: (proposals) => acceptance.acceptMessages({ actorId, proposals }),
        }
      case 'conversations':
        return {
          ...open(nameConversationsDatabase(actorId)),
          accept: (proposals) => acceptance.acceptConversations({ actorId, sessionId, proposals }),
        }
      default:
        throw name.startsWith('_')
          ? forbidden('This part of CouchDB is not offered here.')
          : notFound('no_db_file')
    }
  }
}
