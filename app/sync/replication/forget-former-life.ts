import type { RxCollection } from 'rxdb/plugins/core'
import { openOwedNotes } from '../../database/storage/dexie/owed-notes.ts'
import { wholeKey } from './find-owed.ts'
import { openReplicationNotes } from './replication-notes.ts'

const begunPrefix = 'mark|begun|'

/**
 * What replication noted lies in a database of its own, which may have outlived the documents: somebody deleted those,
 * or a page that did not know of it wrote its old place into the new notes. A database that was made anew begins at the
 * beginning: whatever is noted there before its first replication is not of it.
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
  // Until the first replication all that is owed was written here. For a later one everything is.
  const isFirst = !(await notes.hasMarkLike(begunPrefix))
  await notes.setMarks(isFirst ? [begun, wholeKey(identifier)] : [begun])
}
