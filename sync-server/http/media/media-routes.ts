import * as z from 'zod/mini'
import { askedUploads, missingUploads, uploadedFile } from '../../../schema/media.ts'
import type { Media } from '../../media/media.ts'
import type { FindMissingUploads } from '../../media/missing-uploads.ts'
import { idempotencyKey } from '../core/idempotency-key.ts'
import { RequestRefused } from '../core/request-refused.ts'
import { alreadySent, defineRoute, type Route } from '../core/route.ts'
import { presentFile } from './present-file.ts'
import { sendFile } from './send-file.ts'
import { type ReceiveUpload, uploadErrors } from './upload-receiver.ts'

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
      summary: 'A file, for its owner and for the people of messages with it. Takes Range.',
      params: z.object({ id: z.string() }),
      status: 200,
      answer: z.unknown(),
      produces: '*/*',
      otherStatuses: { 206: 'The part that Range asks for.', 304: 'It is the one you have.' },
      errors: ['media_not_found', 'range_not_satisfiable'],
      async handle({ caller, params, request, response }) {
        const file = await media.find(params.id, caller.userId)
        if (!file) throw new RequestRefused('media_not_found')
        await sendFile({ file, read: media.read, request, response })
        return alreadySent
      },
    }),
  ]
}
