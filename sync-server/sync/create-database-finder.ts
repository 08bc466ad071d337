import type { Acceptance } from '../messages/acceptance.ts'
import type { Storage } from '../storage/create-storage.ts'
import { nameConversationsDatabase, nameMessagesDatabase } from '../storage/database-names.ts'
import type { Document } from '../storage/documents.ts'
import { forbidden, notFound } from './couch-error.ts'
import type { SyncDatabase } from './sync-database.ts'

/** Finds one of a person's own two databases; the path says which, the token says whose (P8). */
export function createDatabaseFinder(options: {
  storage: Storage
  acceptance: Pick<Acceptance, 'acceptMessages' | 'acceptConversations'>
}) {
  const { storage, acceptance } = options

  /** @throws CouchError for every other name */
  return function findDatabase(name: string, actorId: string): SyncDatabase {
    switch (name) {
      case 'messages':
        return {
          name,
          stored: storage.database<Document>(nameMessagesDatabase(actorId)),
          accept: (proposals) => acceptance.acceptMessages({ actorId, proposals }),
        }
      case 'conversations':
        return {
          name,
          stored: storage.database<Document>(nameConversationsDatabase(actorId)),
          accept: (proposals) => acceptance.acceptConversations({ actorId, proposals }),
        }
      default:
        throw name.startsWith('_')
          ? forbidden('This part of CouchDB is not offered here.')
          : notFound('no_db_file')
    }
  }
}
