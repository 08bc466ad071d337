import type { FairQueue } from '../budget/fair-queue.ts'
import { createGroupView } from '../groups/group-view.ts'
import type { Groups } from '../groups/groups.ts'
import type { Outcome, Proposal } from '../messages/proposals/proposal.ts'
import { nameGroupDatabase } from '../storage/documents/database-names.ts'
import type { ChangesPage, Document } from '../storage/documents/documents.ts'
import type { Storage } from '../storage/storage.ts'
import type { StoredDatabase } from '../storage/stored-database.ts'
import { notFound } from './couch-error.ts'
import type { Epochs } from './epochs.ts'

/** What an answer reads: a database, or a view of one, whose pages may be short before the end. */
type ReadDatabase = Omit<StoredDatabase<Document>, 'changes'> & {
  changes(
    asked: Parameters<StoredDatabase<Document>['changes']>[0],
  ): Promise<ChangesPage<Document> & { isAtEnd?: boolean }>
}

/** A caller's own database: named by the path, owned by the token's person (P8). */
export interface SyncDatabase {
  /** As in the path: `messages` or `conversations`. */
  name: string
  stored: ReadDatabase
  /** The epoch of its sequence numbers. */
  epoch(): string
  /** Its reader is ahead of it, and knows this epoch or, like other programs, none. */
  recordAhead(knownEpoch: string | undefined): Promise<void>
  /** Reads a page in the caller's turn (P12). A view takes its turns itself: a call of it may read many. */
  turn<Result>(read: () => Promise<Result>): Promise<Result>
  accept(proposals: readonly Proposal[]): Promise<Outcome<Document>[]>
}

/**
 * A group's database, for who is or was in it.
 * @throws CouchError as for a database that does not exist, for everybody else
 */
export async function findGroupDatabase(asked: {
  storage: Pick<Storage, 'database'>
  epochs: Pick<Epochs, 'of' | 'raise'>
  reads: Pick<FairQueue, 'once'>
  groups: Groups | undefined
  groupId: string
  actorId: string
  takeSignal: () => AbortSignal
}): Promise<SyncDatabase> {
  const { storage, epochs, reads, groups, groupId, actorId, takeSignal } = asked
  const own = await groups?.findOwn(actorId, groupId)
  if (!groups || !own) throw notFound('no_db_file')
  return {
    name: 'groups',
    stored: createGroupView({
      stored: storage.database<Document>(nameGroupDatabase(groupId)),
      group: { _id: groupId, find: () => groups.find(groupId) },
      userId: actorId,
      times: own.times,
      turn: (read) => reads.once({ key: actorId, signal: takeSignal() }, read),
    }),
    epoch: () => epochs.of(actorId),
    recordAhead: (knownEpoch) => epochs.raise(actorId, knownEpoch),
    turn: (read) => read(),
    accept: (proposals) => groups.acceptMessages({ actorId, groupId, proposals }),
  }
}
