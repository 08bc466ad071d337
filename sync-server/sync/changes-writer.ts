import type { Response } from 'express'
import type { Change, Document, Seq } from '../storage/documents/documents.ts'
import { createAnswerBody } from './answer-body.ts'
import type { ChangesQuery } from './read-changes-query.ts'

/** Writes rows of `_changes` as they come, in the form of their feed. Nothing is sent before there is something to send. */
export function createChangesWriter(
  response: Response,
  { feed, heartbeatMs, isBare }: Pick<ChangesQuery, 'feed' | 'heartbeatMs' | 'isBare'>,
) {
  const state = { rows: 0, isBegun: false, heartbeat: undefined as NodeJS.Timeout | undefined }
  const isList = feed !== 'continuous'
  const body = createAnswerBody(response, { isEndless: !isList })
  response.once('close', () => clearInterval(state.heartbeat))

  /** @returns what stands before the first row */
  function begin(): string {
    if (state.isBegun) return ''
    state.isBegun = true
    response.status(200)
    response.set({ 'content-type': 'application/json', 'cache-control': 'no-store' })
    // Proxies must not hold back rows and heartbeats.
    response.set('x-accel-buffering', 'no')
    return isList ? '{"results":[\n' : ''
  }

  return {
    countRows: () => state.rows,
    /** Resolves, with the number of characters, when the connection takes more. */
    async write(changes: readonly Change<Document>[]): Promise<number> {
      if (changes.length === 0) return 0
      const head = begin()
      const lines = changes.map((change) => JSON.stringify(isBare ? strip(change) : change))
      const before = isList && state.rows > 0 ? ',\n' : head
      state.rows += lines.length
      const text = before + lines.join(isList ? ',\n' : '\n') + (isList ? '' : '\n')
      await body.write(text)
      return text.length
    },
    /** A line break so often from now on, if the client asked for it. */
    startHeartbeat() {
      if (heartbeatMs === undefined || state.heartbeat) return
      const head = begin()
      if (head) void body.write(head)
      state.heartbeat = setInterval(() => void body.write('\n'), heartbeatMs)
    },
    /** @param pending how many rows may follow, where that is known */
    end(lastSeq: Seq, pending?: number) {
      clearInterval(state.heartbeat)
      const head = begin()
      const last = `"last_seq":${JSON.stringify(lastSeq)}${pending === undefined ? '' : `,"pending":${pending}`}`
      body.end(isList ? `${head}\n],\n${last}}\n` : `{${last}}\n`)
    },
  }
}

/** Half of a page, compressed, are revisions: they are random, and an app that pushes by none needs none. */
function strip({ doc, ...change }: Change<Document>) {
  if (!doc) return change
  const { _rev, ...said } = doc
  return { seq: change.seq, doc: said }
}
