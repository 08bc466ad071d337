import {
  getAssumedMasterState,
  getChangedDocumentsSince,
  getLastCheckpointDoc,
} from 'rxdb/plugins/core'
import type { RxReplicationState } from 'rxdb/plugins/replication'

const batch = 200

/** Ids of the documents whose present version the server is not known to hold, whatever was changed in them. */
export async function findUnsent<T, Checkpoint>(
  state: RxReplicationState<T, Checkpoint>,
): Promise<string[]> {
  await state.startPromise
  const { internalReplicationState: internal } = state
  if (!internal) return []
  const { primaryPath } = internal
  const unsent: string[] = []
  let checkpoint: unknown = await getLastCheckpointDoc(internal, 'up')
  for (;;) {
    const changed = await getChangedDocumentsSince(internal.input.forkInstance, batch, checkpoint)
    const ids = changed.documents.map((document) =>
      String(document[primaryPath as keyof typeof document]),
    )
    if (ids.length === 0) return unsent
    const assumed = await getAssumedMasterState(internal, ids)
    changed.documents.forEach((document, i) => {
      const id = ids[i] ?? ''
      const server = assumed[id]?.docData
      const isSent =
        server !== undefined && internal.input.conflictHandler.isEqual(server, document, 'unsent')
      if (!isSent) unsent.push(id)
    })
    checkpoint = changed.checkpoint
  }
}
