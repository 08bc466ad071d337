import type { IncomingMessage } from 'node:http'
import type { Request } from 'express'
import { visitOf } from '../../budget/doorman.ts'
import type { GivenUp, Ledger } from '../../budget/ledger.ts'
import type { MediaPurpose } from '../../media/media-documents.ts'
import { RequestRefused } from '../core/request-refused.ts'

const mostBytes = 64 * 1024 * 1024

const withinMs = 10_000

const idleMs = 1_000

const comeAgain = { headers: { 'retry-after': '5' } }

const endings = { late: 'upload_timed_out', share: 'busy' } as const satisfies Record<
  GivenUp,
  string
>

/** A request with bytes of a file, and its owner. */
export interface PlacedUpload {
  request: Request
  ownerId: string
  purpose: MediaPurpose
}

export type UploadPlaces = ReturnType<typeof createUploadPlaces>

/** Bounds how many requests upload at once: slow ones give way when full. */
export function createUploadPlaces({ uploads }: { uploads: Ledger }) {
  function takePlace({ request, ownerId, purpose }: PlacedUpload) {
    const visit = visitOf(request)
    const place = uploads.take({
      key: `${purpose} ${ownerId}`,
      amount: 1,
      lateMs: visit.lateMs,
      end: (why) => visit.refuse(new RequestRefused(endings[why], comeAgain)),
    })
    if (place === 'key') throw new RequestRefused('too_many_uploads', comeAgain)
    if (place === 'all') throw new RequestRefused('busy', comeAgain)
    return place
  }

  async function runInPlace<Result>(upload: PlacedUpload, work: () => Promise<Result>) {
    const visit = visitOf(upload.request)
    visit.setLateRefusal(new RequestRefused('upload_timed_out'))
    const place = takePlace(upload)
    // A caller who learns of the end may begin the next upload at once; cleanup takes a moment
    // longer.
    visit.takeSignal().addEventListener('abort', place.release)
    try {
      return await work()
    } finally {
      place.release()
    }
  }

  return {
    /**
     * @throws RequestRefused when there is no place; whatever `work` throws, after draining the
     * body
     */
    async run<Result>(upload: PlacedUpload, work: () => Promise<Result>): Promise<Result> {
      const { request } = upload
      try {
        return await runInPlace(upload, work)
      } catch (error) {
        const visit = visitOf(request)
        if (error instanceof RequestRefused) visit.setLateRefusal(error)
        if (!visit.isOver) await drainRequest(request)
        if (!request.readableEnded && !request.res?.headersSent) {
          request.res?.set('connection', 'close')
        }
        throw error
      }
    },
  }
}

/**
 * Drains the rest of a refused body, within bounds: a browser still sending when the connection
 * closes shows a network error instead of the answer.
 */
function drainRequest(request: IncomingMessage): Promise<void> {
  if (request.readableEnded || request.destroyed) return Promise.resolve()
  return new Promise((resolve) => {
    const passed = { bytes: 0 }
    const deadline = setTimeout(finish, withinMs)
    const idle = setTimeout(finish, idleMs)
    function count(chunk: Buffer) {
      idle.refresh()
      passed.bytes += chunk.length
      if (passed.bytes > mostBytes) finish()
    }
    function finish() {
      clearTimeout(deadline)
      clearTimeout(idle)
      request.off('data', count).off('end', finish).off('close', finish).pause()
      resolve()
    }
    request.on('data', count).on('end', finish).on('close', finish).resume()
  })
}
