import type { Sessions } from '../access/sessions.ts'
import type { Caller } from '../access/token-keeper.ts'
import { RequestRefused } from '../http/core/request-refused.ts'
import { createDatabaseFinder } from './database-finder.ts'
import { describeRefusal } from './describe-refusal.ts'
import { pushDocuments } from './push-documents.ts'

/** What a request to `_bulk_docs` would have been answered. */
export interface AnsweredPush {
  status: number
  body: unknown
  /** The database's; undefined when it was refused before it was found. */
  epoch: string | undefined
  retryAfterSeconds: number | undefined
}

/**
 * Pushes documents that came over a socket, by the same rule and with the same answers as
 * `POST _bulk_docs` (P4).
 * @param onError called with server faults
 */
export function createPushAnswerer(options: {
  storage: Parameters<typeof createDatabaseFinder>[0]['storage']
  epochs: Parameters<typeof createDatabaseFinder>[0]['epochs']
  acceptance: Parameters<typeof createDatabaseFinder>[0]['acceptance']
  reads: Parameters<typeof createDatabaseFinder>[0]['reads']
  /** A sign-in may have ended while its socket has not closed yet. */
  sessions: Pick<Sessions, 'isOpen'>
  onError: (error: unknown) => void
}) {
  const { sessions, onError } = options
  const findDatabase = createDatabaseFinder(options)
  // A push writes, and never waits in the readers' queue.
  const takeSignal = () => new AbortController().signal

  return async (
    { userId: actorId, sessionId }: Caller,
    { database: name, docs }: { database: string; docs?: unknown },
  ): Promise<AnsweredPush> => {
    const found: { epoch?: string } = {}
    try {
      if (!(await sessions.isOpen({ userId: actorId, sessionId }))) {
        throw new RequestRefused('session_ended')
      }
      const database = findDatabase({ name, actorId, sessionId, takeSignal })
      found.epoch = database.epoch()
      const rows = await pushDocuments(database, { docs, isReplicated: false })
      return { status: 201, body: rows, epoch: found.epoch, retryAfterSeconds: undefined }
    } catch (error) {
      const { status, body, headers, isFault } = describeRefusal(error)
      if (isFault) onError(error)
      const retryAfter = headers['retry-after']
      const retryAfterSeconds = retryAfter === undefined ? undefined : Number(retryAfter)
      return { status, body, epoch: found.epoch, retryAfterSeconds }
    }
  }
}
