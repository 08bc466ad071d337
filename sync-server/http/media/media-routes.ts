import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Request, Response } from 'express'
import * as z from 'zod/mini'
import { askedUploads, missingUploads, uploadedFile } from '../../../schema/media.ts'
import type { Media } from '../../media/media.ts'
import type { FileDocument } from '../../media/media-documents.ts'
import type { FindMissingUploads } from '../../media/missing-uploads.ts'
import { idempotencyKey, RequestRefused } from '../core/request-refused.ts'
import { alreadySent, defineRoute, type Route } from '../core/route.ts'
import { presentFile } from './piece-routes.ts'
import { type ReceiveUpload, uploadErrors } from './upload-receiver.ts'

const yearSeconds = 365 * 24 * 60 * 60

/** Files in messages: uploads, and downloads for the people who share them. */
export function createMediaRoutes(options: {
  media: Media
  receiveUpload: ReceiveUpload
  findMissing: FindMissingUploads
  limitBytes: number
}): Route[] {
  const { media, receiveUpload, findMissing, limitBytes } = options
  return [
    defineRoute({
      method: 'post',
      path: '/messages/upload',
      access: 'signed-in',
      summary:
        'Takes a file (multipart/form-data, part `file`) that a message can then carry as its mediaUrl. The same Idempotency-Key again is the same file.',
      headers: idempotencyKey,
      status: 201,
      filePart: 'file',
      answer: uploadedFile,
      errors: ['file_required', 'file_too_large', ...uploadErrors],
      async handle({ caller, headers, request }) {
        const { userId: ownerId } = caller
        const upload = {
          request,
          fieldName: 'file',
          ownerId,
          purpose: 'message',
          limitBytes,
          key: headers['idempotency-key'],
        } as const
        const file = await receiveUpload(upload)
        if (!file) throw new RequestRefused('file_required')
        return presentFile(file)
      },
    }),

    defineRoute({
      method: 'post',
      path: '/messages/uploads/missing',
      access: 'signed-in',
      summary:
        'Which of your own uploads the server has lost, as after a backup was put back, and how messages say that they were called: uploaded again with the same id they have the same address again. Who has their messages sees those that are there.',
      body: askedUploads,
      status: 200,
      answer: missingUploads,
      async handle({ caller, body }) {
        return { missing: await findMissing(caller.userId, body.uploads) }
      },
    }),

    defineRoute({
      method: 'get',
      path: '/media/{id}',
      access: 'signed-in',
      summary:
        'A file, for its owner and for the people of messages with it. Takes Range. A group’s picture is for its members, and with `code` for who has its link.',
      params: z.object({ id: z.string() }),
      query: z.object({ code: z.optional(z.string().check(z.maxLength(100))) }),
      status: 200,
      answer: z.unknown(),
      produces: '*/*',
      otherStatuses: { 206: 'The part that Range asks for.', 304: 'It is the one you have.' },
      errors: ['media_not_found', 'range_not_satisfiable'],
      async handle({ caller, params, query, request, response }) {
        const file = await media.find(params.id, caller.userId, query.code)
        if (!file) throw new RequestRefused('media_not_found')
        await sendFile({ file, read: media.read, request, response })
        return alreadySent
      },
    }),
  ]
}

/** A part of a file, both ends included. */
interface ByteRange {
  start: number
  end: number
}

/**
 * Answers with a file or the requested part. An address never changes its bytes, so browsers cache
 * it; shows only pictures, sound and video inline, with everything active disabled.
 * @throws RequestRefused `range_not_satisfiable`
 */
async function sendFile(options: {
  file: FileDocument
  read: (file: FileDocument, range: ByteRange) => AsyncIterable<Buffer>
  request: Request
  response: Response
}): Promise<void> {
  const { file, read, request, response } = options
  const range = findRange(request, file)
  describeFile(response, file)
  if (request.fresh) {
    response.status(304).end()
    return
  }
  const { start, end } = range ?? { start: 0, end: file.size - 1 }
  response.set('content-length', String(end - start + 1))
  if (range) response.status(206).set('content-range', `bytes ${start}-${end}/${file.size}`)
  if (request.method === 'HEAD') {
    response.end()
    return
  }
  try {
    await pipeline(Readable.from(read(file, { start, end })), response)
  } catch (error) {
    // A disconnected reader is no error.
    if (!isGone(error)) throw error
  }
}

function describeFile(response: Response, file: FileDocument) {
  const { type, mimeType, filename } = file
  const isInline = type !== 'document'
  response.set({
    'content-type': mimeType,
    'content-disposition': describeDisposition({ isInline, filename }),
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
    'accept-ranges': 'bytes',
    'cache-control': `private, max-age=${yearSeconds}, immutable`,
    etag: nameTag(file),
  })
}

function nameTag({ mediaId }: FileDocument): string {
  return `"${mediaId}"`
}

function findRange(request: Request, file: FileDocument): ByteRange | undefined {
  const known = request.headers['if-range']
  if (request.method !== 'GET' || (known !== undefined && known !== nameTag(file))) return undefined
  const range = parseRange(request.headers.range, file.size)
  if (range !== 'none') return range
  const headers = { 'content-range': `bytes */${file.size}` }
  throw new RequestRefused('range_not_satisfiable', { headers })
}

function isGone(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ECONNRESET' || code === 'EPIPE'
}

/** The Content-Disposition of a file: its name as RFC 6266 wants it, once in ASCII and once in UTF-8. */
function describeDisposition(options: { isInline: boolean; filename: string }): string {
  const { isInline, filename } = options
  const plain = filename.replace(/[^ -~]/g, '_').replace(/["\\%]/g, '_')
  const encoded = encodeURIComponent(filename).replace(
    /['()*!]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  const kind = isInline ? 'inline' : 'attachment'
  return `${kind}; filename="${plain}"; filename*=UTF-8''${encoded}`
}

/**
 * Reads a Range header for a file of `size` bytes, without support for several parts.
 * @returns undefined for no single part: answer with the whole file; `none` for a part out of
 * range. Source: RFC 9110, section 14
 */
function parseRange(header: string | undefined, size: number): ByteRange | 'none' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,16})-(\d{0,16})$/.exec(header ?? '') ?? []
  if (first === '' && last === '') return undefined
  if (first === '') {
    const wanted = Number(last)
    return wanted === 0 ? 'none' : { start: Math.max(0, size - wanted), end: size - 1 }
  }
  const start = Number(first)
  const end = last === '' ? size - 1 : Number(last)
  if (end < start && last !== '') return undefined
  return start >= size ? 'none' : { start, end: Math.min(end, size - 1) }
}
