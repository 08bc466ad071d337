import { limits } from '../../../schema/limits.ts'
import { pictureMimeTypes, uploadedPicture } from '../../../schema/media.ts'
import type { Accounts } from '../../access/accounts.ts'
import type { FileKind } from '../../media/detect-file-kind.ts'
import type { Media } from '../../media/media.ts'
import { nameMediaUrl } from '../../media/media-url.ts'
import { RequestRefused } from '../core/request-refused.ts'
import { defineRoute, type Route } from '../core/route.ts'
import { refuseTaken } from '../users/refuse-taken.ts'
import { type ReceiveUpload, uploadErrors } from './upload-receiver.ts'

/** A person's own profile picture. */
export function createPictureRoutes(options: {
  media: Media
  accounts: Accounts
  receiveUpload: ReceiveUpload
}): Route[] {
  const { media, accounts, receiveUpload } = options
  return [
    defineRoute({
      method: 'put',
      path: '/users/profile/picture',
      access: 'signed-in',
      summary:
        'Replaces your picture (multipart/form-data, part `profilePicture`: JPEG, PNG or WebP, 5 MB).',
      status: 200,
      filePart: 'profilePicture',
      answer: uploadedPicture,
      errors: ['picture_required', 'picture_type_not_allowed', 'file_too_large', ...uploadErrors],
      async handle({ caller: { userId }, request }) {
        const file = await receiveUpload({
          request,
          fieldName: 'profilePicture',
          ownerId: userId,
          purpose: 'picture',
          limitBytes: limits.pictureInputMaxBytes,
          check: requirePicture,
        })
        if (!file) throw new RequestRefused('picture_required')
        const profilePicture = nameMediaUrl(file.mediaId)
        const outcome = await accounts.changeProfile(userId, { profilePicture })
        if (outcome.kind !== 'done') {
          await media.remove(file.mediaId)
          throw refuseTaken(outcome)
        }
        await media.settlePictures(userId)
        return { profilePicture }
      },
    }),
  ]
}

/** @throws RequestRefused for anything but the three picture types */
function requirePicture({ mimeType }: FileKind) {
  const isPicture = pictureMimeTypes.some((allowed) => allowed === mimeType)
  if (!isPicture) throw new RequestRefused('picture_type_not_allowed')
}
