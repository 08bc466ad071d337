import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import * as z from 'zod/mini'
import { uploadEnded } from '../../../schema/api/done-answers.ts'
import { id } from '../../../schema/id.ts'
import { uploadBegin, type uploadedFile, uploadSoFar } from '../../../schema/media.ts'
import { visitOf } from '../../budget/doorman.ts'
import type { StorageQuota } from '../../budget/storage-quota.ts'
import { refuseTooLarge } from '../../media/byte-streams.ts'
import type { Media } from '../../media/media.ts'
import { type FileDocument, nameMediaUrl } from '../../media/media-documents.ts'
import type { UploadSoFar } from '../../media/unfinished-uploads.ts'
import { RequestRefused } from '../core/request-refused.ts'
import { defineRoute, type Route } from '../core/route.ts'
import type { UploadPlaces } from './upload-places.ts'

const bytesType = 'application/octet-stream'
const path = '/messages/uploads/{id}'
const params = z.object({ id })

/**
 * Uploads in pieces for messages: an interrupted one resumes where it stopped, on any of the
 * person's devices.
 */
export function createPieceRoutes(options: {
  media: Pick<Media, 'unfinished'>
  places: UploadPlaces
  quota: Pick<StorageQuota, 'takeRoom'>
  limitBytes: number
}): Route[] {
  const { places, quota, limitBytes } = options
  const { unfinished } = options.media
  return [
    defineRoute({
      method: 'put',
      path,
      access: 'signed-in',
      summary:
        'Begins the upload of a file in pieces, under an id that you choose: a UUID, best that of the message. Asked again, it answers how many bytes are stored, and with the file once all are.',
      params,
      body: uploadBegin,
      status: 200,
      answer: uploadSoFar,
      errors: ['file_too_large', 'storage_full', 'upload_not_found'],
      async handle({ caller: { userId: ownerId }, params, body: { size, filename } }) {
        if (size > limitBytes) throw refuseTooLarge(limitBytes)
        const takeRoom = () => quota.takeRoom(ownerId, size)
        const upload = { ownerId, key: params.id, size, filename, takeRoom }
        return present(await unfinished.begin(upload))
      },
    }),

    defineRoute({
      method: 'patch',
      path,
      access: 'signed-in',
      summary:
        'Bytes of an upload from `offset` on, as many as you like. The answer tells how many are stored: a multiple of 262,144 until all are. Bytes that are there already are passed over.',
      params,
      query: z.object({
        offset: z.pipe(
          z.string().check(z.regex(/^\d{1,15}$/, 'The offset must be a number of bytes')),
          z.transform(Number),
        ),
      }),
      consumes: bytesType,
      status: 200,
      answer: uploadSoFar,
      errors: [
        ...(['bytes_required', 'upload_not_found', 'upload_out_of_step'] as const),
        ...([
          'upload_unreadable',
          'upload_timed_out',
          'too_many_uploads',
          'file_too_large',
        ] as const),
      ],
      async handle({ caller: { userId: ownerId }, params, query: { offset }, request }) {
        const { 'content-encoding': encoding = 'identity' } = request.headers
        if (!request.is(bytesType) || encoding !== 'identity') {
          throw new RequestRefused('bytes_required')
        }
        return await places.run({ request, ownerId, purpose: 'message' }, async () => {
          const visit = visitOf(request)
          const signal = visit.takeSignal()
          const bytes = readBody({ request, signal })
          const { confirm } = visit
          const part = { ownerId, key: params.id, offset, bytes, signal, confirm }
          return present(await unfinished.take(part))
        })
      },
    }),

    defineRoute({
      method: 'delete',
      path,
      access: 'signed-in',
      summary: 'Gives up an upload that is not finished. One that nobody knows is none.',
      params,
      status: 200,
      answer: uploadEnded,
      async handle({ caller: { userId: ownerId }, params }) {
        await unfinished.end({ ownerId, key: params.id })
        return { isEnded: true } as const
      },
    }),
  ]
}

function present({ offset, file }: UploadSoFar) {
  return { offset, ...(file && { file: presentFile(file) }) }
}

/**
 * Streams a body, holding a few chunks of it; leaves the unread rest in place.
 * @param signal cancels; the iteration then throws the signal's reason
 * @throws RequestRefused `upload_unreadable` when the body breaks off
 */
async function* readBody(options: {
  request: IncomingMessage
  signal: AbortSignal
}): AsyncGenerator<Buffer, void, undefined> {
  const { request, signal } = options
  signal.throwIfAborted()
  const body = new PassThrough()
  const breakOff = () => {
    if (!request.readableEnded) body.destroy(new RequestRefused('upload_unreadable'))
  }
  const giveUp = () => body.destroy(signal.reason)
  request.on('close', breakOff).on('error', breakOff)
  signal.addEventListener('abort', giveUp)
  try {
    for await (const chunk of request.pipe(body)) yield chunk
  } finally {
    signal.removeEventListener('abort', giveUp)
    request.off('close', breakOff).off('error', breakOff).unpipe(body).pause()
  }
}

/** The answer to an upload. */
export function presentFile(file: FileDocument): z.input<typeof uploadedFile> {
  const { mediaId, servedId = mediaId, type, mimeType, size, filename } = file
  return { mediaUrl: nameMediaUrl(servedId), type, mimeType, size, filename }
}
