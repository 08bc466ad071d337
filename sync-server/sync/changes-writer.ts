import type { Response } from 'express'
import type { Change, Document, Seq } from '../storage/documents/documents.ts'
import { createAnswerBody } from './answer-body.ts'
import type { ChangesQuery } from './read-changes-query.ts'

/** Writes rows of `_changes` in the format of their feed. Sends nothing before the first row. */
export function createChangesWriter(
  response: Response,
  { feed, heartbeatMs, isBare }: Pick<ChangesQuery, 'feed' | 'heartbeatMs' | 'isBare'>,
) {
  const state = { rows: 0, isBegun: false, heartbeat: undefined as NodeJS.Timeout | undefined }
  const isList = feed !== 'continuous'
  const body = createAnswerBody(response, { isEndless: !isList })
  response.once('close', () => clearInterval(state.heartbeat))

  /** @returns the text before the first row */
  function begin(): string {
    if (state.isBegun) return ''
    state.isBegun = true
    response.status(200)
    response.set({ 'content-type': 'application/json', 'cache-control': 'no-store' })
    // Proxies must not buffer rows and heartbeats.
    response.set('x-accel-buffering', 'no')
    return isList ? '{"results":[\n' : ''
  }

  return {
    countRows: () => state.rows,
    /** Resolves, with the number of characters, when the connection accepts more. */
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
    /** Sends periodic line breaks from now on, if the client asked for them. */
    startHeartbeat() {
      if (heartbeatMs === undefined || state.heartbeat) return
      const head = begin()
      if (head) void body.write(head)
      state.heartbeat = setInterval(() => void body.write('\n'), heartbeatMs)
    },
    /** @param pending how many rows may follow, if known */
    end(lastSeq: Seq, pending?: number) {
      clearInterval(state.heartbeat)
      const head = begin()
      const last = `"last_seq":${JSON.stringify(lastSeq)}${pending === undefined ? '' : `,"pending":${pending}`}`
      body.end(isList ? `${head}\n],\n${last}}\n` : `{${last}}\n`)
    },
  }
}

/**
 * Half of a compressed page is revisions, which are random; an app that never pushes by them needs
 * none.
 */
function strip({ doc, ...change }: Change<Document>) {
  if (!doc) return change
  const { _rev, ...said } = doc
  return { seq: change.seq, doc: said }
}
