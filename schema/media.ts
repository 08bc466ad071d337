import * as z from 'zod/mini'
import { id } from './id.ts'
import { limits } from './limits.ts'

export const mediaTypes = ['image', 'video', 'audio', 'document'] as const
export type MediaType = (typeof mediaTypes)[number]

/** What an upload is answered with. `type` and `mimeType` are found in the bytes; `size` is in bytes. */
export const uploadedFile = z.object({
  mediaUrl: z.string().check(z.startsWith(limits.mediaPathPrefix)),
  type: z.enum(mediaTypes),
  mimeType: z.string(),
  size: z.number().check(z.int(), z.gte(1)),
  filename: z.string(),
})

/** How an upload in pieces begins, and how it is asked for after a break. `size` is in bytes. */
export const uploadBegin = z.object({
  size: z.number().check(z.int(), z.gte(1)),
  filename: z.optional(z.string().check(z.maxLength(1_000))),
})

/** So many bytes of an upload in pieces are stored; `file` is there once all of them are. */
export const uploadSoFar = z.object({
  offset: z.number().check(z.int(), z.gte(0)),
  file: z.optional(uploadedFile),
})

/**
 * Uploads of messages of the asker's, each by the id under which it was uploaded and with the address that its message
 * has; answered with those that have to be uploaded again.
 */
export const askedUploads = z.object({
  uploads: z
    .array(z.object({ id, mediaUrl: z.string().check(z.maxLength(2_048)) }))
    .check(z.minLength(1), z.maxLength(limits.askedUploadsMax)),
})
export const missingUploads = z.object({ missing: z.array(id) })

/** What a new profile picture is answered with: its address. */
export const uploadedPicture = z.object({
  profilePicture: z.string().check(z.startsWith(limits.mediaPathPrefix)),
})

/** The pictures that a profile can have, as they are found in the bytes. */
export const pictureMimeTypes = ['image/jpeg', 'image/png', 'image/webp'] as const
