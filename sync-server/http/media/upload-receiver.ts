import type { Request } from 'express'
import { visitOf } from '../../budget/doorman.ts'
import type { StorageQuota } from '../../budget/storage-quota.ts'
import type { Media } from '../../media/media.ts'
import type { FileDocument } from '../../media/media-documents.ts'
import type { ArrivingFile } from '../../media/media-store.ts'
import { readUpload } from './read-upload.ts'
import type { UploadPlaces } from './upload-places.ts'

/** The refusals of every upload. */
export const uploadErrors = [
  'form_required',
  'upload_unreadable',
  'upload_timed_out',
  'too_many_uploads',
  'storage_full',
] as const

export type ReceiveUpload = ReturnType<typeof createUploadReceiver>

/** Receives the file of a form. */
export function createUploadReceiver(options: {
  media: Media
  places: UploadPlaces
  quota: Pick<StorageQuota, 'takeRoom'>
}) {
  const { media, places, quota } = options

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

  /**
   * @returns the stored file; undefined when the form has none under this name, or an empty one
   * @throws RequestRefused for everything else; stores nothing then
   */
  return (upload: UploadRequest): Promise<FileDocument | undefined> =>
    places.run(upload, () => receive(upload))
}

type UploadRequest = Omit<
  ArrivingFile,
  'filename' | 'bytes' | 'signal' | 'takeRoom' | 'confirm'
> & {
  request: Request
  fieldName: string
}
