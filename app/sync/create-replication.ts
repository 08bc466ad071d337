import type { RxCollection, WithDeleted } from 'rxdb/plugins/core'
import { type RxCouchDBReplicationState, replicateCouchDB } from 'rxdb/plugins/replication-couchdb'
import { idPattern } from '../../schema/id.ts'
import { limits } from '../../schema/limits.ts'
import type { Clock } from '../database/create-clock.ts'
import type { BackOff } from './create-back-off.ts'
import { createPullPace } from './create-pull-pace.ts'
import { createSyncFetch, type SyncFetchOptions } from './create-sync-fetch.ts'
import { repairPushCheckpoint } from './repair-push-checkpoint.ts'

export interface ReplicationOptions<T extends { _id: string }> {
  collection: RxCollection<T>
  /** The caller's own database, with a slash at its end. */
  url: string
  fetch: typeof fetch
  readToken: () => string | undefined
  clock: Clock
  backOff: BackOff
  /** Names its checkpoints on this device. */
  identifier: string
  epoch: SyncFetchOptions['epoch']
  versions?: SyncFetchOptions['versions']
  onOutcome: SyncFetchOptions['onOutcome']
  line?: SyncFetchOptions['line']
  feed?: SyncFetchOptions['feed']
  /** The device's own storage failed: what was pulled may be missing, so this replication must not go on. */
  onBroken: (cause: unknown) => void
  /** What a document from the server becomes on this device, and what leaves it. */
  takePulled: (document: T) => T
  /** Null for what can never leave; it holds up nothing then. */
  givePushed: (document: T) => T | null
}

export interface Replication {
  /** Asks the server for what is new, and offers it what is not sent. */
  reSync(): void
  close(): Promise<void>
  /** Ends it, and forgets its checkpoints and what it knows of the server. */
  remove(): Promise<void>
}

/** Chosen by measurement: larger ones catch up no faster, and hold the page longer at a time. */
const pullBatch = 500
const pushBatch = 100
/** Where everything is offered again, most of it never leaves the device. The server takes as many at once. */
const offerBatch = limits.syncBatchMaxDocuments
/** The back-off does the waiting; RxDB only must not spin. */
const retryTimeMs = 50

/** Keeps one collection equal to the caller's database on the server, both ways, until it is closed. */
export function createReplication<T extends { _id: string }>(
  options: ReplicationOptions<T>,
): Replication {
  const { collection, onBroken } = options
  const stop = new AbortController()
  const untilNoted = async () => await state.internalReplicationState?.streamQueue.up
  const readStored = () => {
    const stored = state.internalReplicationState?.lastCheckpointDoc.down?.checkpointData
    return (stored as { sequence?: unknown } | undefined)?.sequence
  }
  /** RxDB takes an answer that is smaller than its own batch for the end of what there is. */
  function noteBatch(rows: number) {
    if (state.internalReplicationState) state.internalReplicationState.input.pullBatchSize = rows
  }
  const state: RxCouchDBReplicationState<T> = replicateCouchDB<T>({
    replicationIdentifier: options.identifier,
    collection,
    url: options.url,
    live: true,
    waitForLeadership: false,
    retryTime: retryTimeMs,
    fetch: createSyncFetch({
      ...{ ...options, untilNoted, signal: stop.signal },
      pace: createPullPace(readStored),
      ...{ pageRows: pullBatch, onPage: noteBatch },
    }),
    pull: {
      batchSize: pullBatch,
      heartbeat: 10_000,
      modifier: (document: WithDeleted<T>) => ({
        ...options.takePulled(document),
        _deleted: false,
      }),
    },
    push: {
      batchSize: options.versions ? offerBatch : pushBatch,
      modifier(document: WithDeleted<T>) {
        // The server has no place for such an id, and would stop the batch that it is in.
        if (!idPattern.test(document._id)) return null
        const pushed = options.givePushed(document)
        return pushed && { ...pushed, _deleted: false }
      },
    },
  })
  const errors = state.error$.subscribe((error) => {
    if (!stop.signal.aborted && !isRequestError(error)) onBroken(error)
  })
  repairPushCheckpoint(state).catch(onBroken)
  function end() {
    stop.abort(new Error('This replication has ended.'))
    errors.unsubscribe()
  }
  return {
    reSync: () => state.reSync(),
    async close() {
      end()
      await state.cancel()
    },
    async remove() {
      end()
      await state.remove()
    },
  }
}

/** Failed requests are tried again by RxDB; whatever else fails, it forgets. */
function isRequestError(error: unknown): boolean {
  const { code, parameters } = error as { code?: string; parameters?: { errors?: unknown } }
  if (code === 'RC_STREAM') return true
  return (code === 'RC_PULL' || code === 'RC_PUSH') && parameters?.errors !== undefined
}
