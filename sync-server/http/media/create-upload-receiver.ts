import type { Request } from 'express'
import { visitOf } from '../../budget/doorman.ts'
import type { GivenUp, Ledger } from '../../budget/ledger.ts'
import type { StorageQuota } from '../../budget/storage-quota.ts'
import { RequestRefused } from '../request-refused.ts'
import type { Media } from './create-media.ts'
import type { ArrivingFile } from './create-media-shelf.ts'
import { drainRequest } from './drain-request.ts'
import type { FileDocument } from './media-documents.ts'
import { readUpload } from './read-upload.ts'

/** What every upload can be refused for. */
export const uploadErrors = [
  'form_required',
  'upload_unreadable',
  'upload_timed_out',
  'too_many_uploads',
  'storage_full',
] as const

const comeAgain = { headers: { 'retry-after': '5' } }

export type ReceiveUpload = ReturnType<typeof createUploadReceiver>

/** Takes in the file of a form, of a bounded number at once: who is slow gives way where there is no room for all. */
export function createUploadReceiver(options: {
  media: Media
  uploads: Ledger
  quota: Pick<StorageQuota, 'takeRoom'>
}) {
  const { media, uploads, quota } = options

  async function receive(upload: UploadRequest): Promise<FileDocument | undefined> {
    const { request, fieldName, ...arriving } = upload
    const visit = visitOf(request)
    const signal = visit.takeSignal()
    const form = await readUpload({ request, fieldName, signal })
    const declared = Number(request.headers['content-length'] ?? 0)
    const takeRoom = () => quota.takeRoom(upload.ownerId, Math.min(declared, upload.limitBytes))
    const { confirm } = visit
    return form && (await media.store({ ...arriving, ...form, signal, takeRoom, confirm }))
  }

  function takePlace({ request, ownerId, purpose }: UploadRequest) {
    const visit = visitOf(request)
    const place = uploads.take({
      ...{ key: `${purpose} ${ownerId}`, amount: 1, lateMs: visit.lateMs },
      end: (why) => visit.refuse(new RequestRefused(endings[why], comeAgain)),
    })
    if (place === 'key') throw new RequestRefused('too_many_uploads', comeAgain)
    if (place === 'all') throw new RequestRefused('busy', comeAgain)
    return place
  }

  async function receiveInPlace(upload: UploadRequest) {
    const visit = visitOf(upload.request)
    visit.setLateRefusal(new RequestRefused('upload_timed_out'))
    const place = takePlace(upload)
    // Whoever hears that it has ended may begin the next one at once; tidying up takes a moment longer.
    visit.takeSignal().addEventListener('abort', place.release)
    try {
      return await receive(upload)
    } finally {
      place.release()
    }
  }

  /**
   * @returns the stored file; undefined when the form has none under this name, or an empty one
   * @throws RequestRefused for everything else, and nothing of the file stays
   */
  return async (upload: UploadRequest): Promise<FileDocument | undefined> => {
    const { request } = upload
    try {
      return await receiveInPlace(upload)
    } catch (error) {
      const visit = visitOf(request)
      if (error instanceof RequestRefused) visit.setLateRefusal(error)
      if (!visit.isOver) await drainRequest(request)
      if (!request.readableEnded && !request.res?.headersSent) {
        request.res?.set('connection', 'close')
      }
      throw error
    }
  }
}

const endings = { late: 'upload_timed_out', share: 'busy' } as const satisfies Record<
  GivenUp,
  string
>

type UploadRequest = Omit<
  ArrivingFile,
  'filename' | 'bytes' | 'signal' | 'takeRoom' | 'confirm'
> & {
  request: Request
  fieldName: string
}
