import type { RxCollection } from 'rxdb/plugins/core'
import { openOwedNotes } from '../../database/storage/dexie/owed-notes.ts'
import { wholeKey } from './find-owed.ts'
import { openReplicationNotes } from './replication-notes.ts'

const begunPrefix = 'mark|begun|'

/**
 * Replication notes lie in a separate database, which may outlive deleted documents, or get an old
 * place from a page that missed the deletion. A recreated database starts from scratch: notes older
 * than its first replication are not its own.
 */
export async function forgetFormerLife<T>(
  collection: RxCollection<T>,
  identifier: string,
): Promise<void> {
  const notes = await openOwedNotes(collection)
  const begun = begunPrefix + identifier
  if (!(await notes.isMadeHere()) || (await notes.hasMark(begun))) return
  const former = await openReplicationNotes(collection, identifier)
  await former.remove()
  // Before the first replication all owed documents were written here. Later, everything is
  // checked.
  const isFirst = !(await notes.hasMarkLike(begunPrefix))
  await notes.setMarks(isFirst ? [begun, wholeKey(identifier)] : [begun])
}
