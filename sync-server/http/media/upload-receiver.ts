import type { IncomingMessage } from 'node:http'
import { Busboy, type BusboyFileStream, type BusboyHeaders } from '@fastify/busboy'
import type { Request } from 'express'
import { pictureMimeTypes } from '../../../schema/media.ts'
import { visitOf } from '../../budget/doorman.ts'
import type { StorageQuota } from '../../budget/storage-quota.ts'
import type { FileKind } from '../../media/detect-file-kind.ts'
import type { Media } from '../../media/media.ts'
import type { FileDocument } from '../../media/media-documents.ts'
import type { ArrivingFile } from '../../media/media-store.ts'
import { RequestRefused } from '../core/request-refused.ts'
import type { UploadPlaces } from './upload-places.ts'

/** A form carries one file; ignores the few fields that some clients add. */
const formLimits = {
  files: 1,
  fields: 8,
  parts: 9,
  fieldSize: 1024,
  headerPairs: 16,
  headerSize: 8 * 1024,
}

/** The refusals of every upload. */
export const uploadErrors = [
  'form_required',
  'upload_unreadable',
  'upload_timed_out',
  'too_many_uploads',
  'storage_full',
] as const

export type ReceiveUpload = ReturnType<typeof createUploadReceiver>

/** The refusals of a new picture of a person or a group. */
export const pictureErrors = [
  'picture_required',
  'picture_type_not_allowed',
  'file_too_large',
  ...uploadErrors,
] as const

/** @throws RequestRefused for anything but the three picture types */
export function requirePicture({ mimeType }: FileKind): void {
  const isPicture = pictureMimeTypes.some((allowed) => allowed === mimeType)
  if (!isPicture) throw new RequestRefused('picture_type_not_allowed')
}

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
    const { payerId = upload.ownerId } = upload
    const takeRoom = () => quota.takeRoom(payerId, Math.min(declared, upload.limitBytes))
    const { confirm } = visit
    return form && (await media.store({ ...arriving, ...form, signal, takeRoom, confirm }))
  }

  /**
   * @returns the stored file; undefined when the form has none under this name, or an empty one
   * @throws RequestRefused for everything else; stores nothing then
   */
  return (upload: UploadRequest): Promise<FileDocument | undefined> =>
    places.run({ ...upload, ownerId: upload.payerId ?? upload.ownerId }, () => receive(upload))
}

type UploadRequest = Omit<
  ArrivingFile,
  'filename' | 'bytes' | 'signal' | 'takeRoom' | 'confirm'
> & {
  request: Request
  fieldName: string
}

/**
 * The file of a form. `bytes` ends only when the whole form has arrived intact, and throws
 * otherwise.
 */
interface Upload {
  filename: string | undefined
  bytes: AsyncIterable<Buffer>
}

/**
 * Streams a multipart form, holding a few chunks of it.
 * @param signal cancels; the upload then throws the signal's reason
 * @returns its file; undefined when there is no file under this name
 * @throws RequestRefused `form_required`, `upload_unreadable`; the iteration of `bytes` too
 */
async function readUpload(options: {
  request: IncomingMessage
  fieldName: string
  signal: AbortSignal
}): Promise<Upload | undefined> {
  const { request, fieldName, signal } = options
  signal.throwIfAborted()
  const parser = openParser(request)
  const broken = new AbortController()
  const state = { file: undefined as BusboyFileStream | undefined }

  function fail(reason: unknown) {
    if (broken.signal.aborted) return
    broken.abort(reason)
    stop()
    state.file?.destroy(broken.signal.reason)
  }
  const isUnreadable = (cause?: unknown) => fail(new RequestRefused('upload_unreadable', { cause }))
  const onClose = () => {
    if (!request.readableEnded) isUnreadable()
  }
  const giveUp = () => fail(signal.reason)
  function stop() {
    signal.removeEventListener('abort', giveUp)
    request.unpipe(parser).off('close', onClose).pause()
  }

  const finished = new Promise<void>((resolve, reject) => {
    parser.on('finish', () => {
      stop()
      resolve()
    })
    broken.signal.addEventListener('abort', () => reject(broken.signal.reason))
  })
  finished.catch(() => undefined)

  const upload = new Promise<Upload | undefined>((resolve) => {
    parser.on('file', (name, file, filename) => {
      state.file = file
      // The reader of `file` gets the error; without a reader yet, it must not end the process.
      file.on('error', () => undefined)
      if (name === fieldName) return resolve({ filename, bytes: readFile(file) })
      stop()
      resolve(undefined)
    })
  })

  async function* readFile(file: BusboyFileStream): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of file) yield chunk
      await finished
    } catch (cause) {
      // The file stream wraps the parser's own errors.
      isUnreadable(cause)
      throw broken.signal.reason
    } finally {
      stop()
    }
  }

  parser.on('error', isUnreadable)
  for (const limit of ['partsLimit', 'filesLimit', 'fieldsLimit']) parser.on(limit, isUnreadable)
  request.on('error', isUnreadable).on('close', onClose)
  signal.addEventListener('abort', giveUp)
  request.pipe(parser)
  return await Promise.race([upload, finished.then(() => undefined)])
}

function openParser(request: IncomingMessage) {
  const { headers } = request
  const isForm = /^multipart\/form-data\s*(;|$)/i.test(headers['content-type'] ?? '')
  const { 'content-encoding': encoding = 'identity' } = headers
  if (!isForm || encoding !== 'identity') throw new RequestRefused('form_required')
  try {
    return new Busboy({ headers: headers as BusboyHeaders, limits: formLimits })
  } catch (cause) {
    throw new RequestRefused('upload_unreadable', { cause })
  }
}
