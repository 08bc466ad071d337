import type { FairQueue } from '../budget/fair-queue.ts'
import { createGroupView } from '../groups/group-view.ts'
import type { Groups } from '../groups/groups.ts'
import { nameGroupDatabase } from '../storage/documents/database-names.ts'
import type { Document } from '../storage/documents/documents.ts'
import type { Storage } from '../storage/storage.ts'
import { notFound } from './couch-error.ts'
import type { Epochs } from './epochs.ts'
import type { SyncDatabase } from './sync-database.ts'

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
