import type { Request } from 'express'
import { RequestRefused } from '../request-refused.ts'
import type { Media } from './create-media.ts'
import type { ArrivingFile } from './create-media-shelf.ts'
import type { UploadGate } from './create-upload-gate.ts'
import { drainRequest } from './drain-request.ts'
import type { FileDocument } from './media-documents.ts'
import { readUpload } from './read-upload.ts'

/** What every upload can be refused for. */
export const uploadErrors = [
  'form_required',
  'upload_unreadable',
  'upload_timed_out',
  'too_many_uploads',
] as const

export type ReceiveUpload = ReturnType<typeof createUploadReceiver>

/** Takes in the file of a form, of a bounded number at once. @param idleMs nothing coming for so long ends an upload */
export function createUploadReceiver(options: { media: Media; gate: UploadGate; idleMs: number }) {
  const { media, gate, idleMs } = options

  async function receive(upload: UploadRequest): Promise<FileDocument | undefined> {
    const { request, fieldName, ...arriving } = upload
    const form = await readUpload({ request, fieldName, idleMs })
    return form && (await media.store({ ...arriving, ...form }))
  }

  /**
   * @returns the stored file; undefined when the form has none under this name, or an empty one
   * @throws RequestRefused for everything else, and nothing of the file stays
   */
  return async (upload: UploadRequest): Promise<FileDocument | undefined> => {
    const { request, ownerId, purpose } = upload
    try {
      return await gate.pass(`${purpose} ${ownerId}`, () => receive(upload))
    } catch (error) {
      const isStalled = error instanceof RequestRefused && error.reason === 'upload_timed_out'
      if (!isStalled) await drainRequest(request)
      if (!request.readableEnded) request.res?.set('connection', 'close')
      throw error
    }
  }
}

type UploadRequest = Omit<ArrivingFile, 'filename' | 'bytes'> & {
  request: Request
  fieldName: string
}
