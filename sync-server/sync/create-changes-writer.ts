import type { Response } from 'express'
import type { Change, Document, Seq } from '../storage/documents.ts'
import type { ChangesQuery } from './read-changes-query.ts'
import { writeText } from './write-text.ts'

/** Writes rows of `_changes` as they come, in the form of their feed. Nothing is sent before there is something to send. */
export function createChangesWriter(
  response: Response,
  { feed, heartbeatMs }: Pick<ChangesQuery, 'feed' | 'heartbeatMs'>,
) {
  const state = { rows: 0, isBegun: false, heartbeat: undefined as NodeJS.Timeout | undefined }
  const isList = feed !== 'continuous'
  response.once('close', () => clearInterval(state.heartbeat))

  function begin() {
    if (state.isBegun) return
    state.isBegun = true
    response.status(200)
    response.set({ 'content-type': 'application/json', 'cache-control': 'no-store' })
    // Proxies must not hold back rows and heartbeats.
    response.set('x-accel-buffering', 'no')
    if (isList) response.write('{"results":[\n')
  }

  return {
    countRows: () => state.rows,
    /** Resolves, with the number of characters, when the connection takes more. */
    async write(changes: readonly Change<Document>[]): Promise<number> {
      if (changes.length === 0) return 0
      begin()
      const lines = changes.map((change) => JSON.stringify(change))
      const before = isList && state.rows > 0 ? ',\n' : ''
      state.rows += lines.length
      const text = before + lines.join(isList ? ',\n' : '\n') + (isList ? '' : '\n')
      await writeText(response, text)
      return text.length
    },
    /** A line break so often from now on, if the client asked for it. */
    startHeartbeat() {
      if (heartbeatMs === undefined || state.heartbeat) return
      begin()
      state.heartbeat = setInterval(() => response.write('\n'), heartbeatMs)
    },
    end(lastSeq: Seq) {
      clearInterval(state.heartbeat)
      begin()
      const last = JSON.stringify(lastSeq)
      response.end(isList ? `\n],\n"last_seq":${last}}\n` : `{"last_seq":${last}}\n`)
    },
  }
}
