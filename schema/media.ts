import * as z from 'zod/mini'
import { id } from './id.ts'
import { limits } from './limits.ts'

export const mediaTypes = ['image', 'video', 'audio', 'document'] as const
export type MediaType = (typeof mediaTypes)[number]

/**
 * The answer to an upload. The server detects `type` and `mimeType` from the bytes; `size` is in
 * bytes.
 */
export const uploadedFile = z.object({
  mediaUrl: z.string().check(z.startsWith(limits.mediaPathPrefix)),
  type: z.enum(mediaTypes),
  mimeType: z.string(),
  size: z.number().check(z.int(), z.gte(1)),
  filename: z.string(),
})

/** Begins an upload in pieces, or asks for its state after a break. `size` is in bytes. */
export const uploadBegin = z.object({
  size: z.number().check(z.int(), z.gte(1)),
  filename: z.optional(z.string().check(z.maxLength(1_000))),
})

/** How many bytes of an upload in pieces are stored; `file` appears once all are. */
export const uploadSoFar = z.object({
  offset: z.number().check(z.int(), z.gte(0)),
  file: z.optional(uploadedFile),
})

/**
 * The caller's uploads, each with its upload id and the address in its message. The answer lists
 * those that must be uploaded again.
 */
export const askedUploads = z.object({
  uploads: z
    .array(z.object({ id, mediaUrl: z.string().check(z.maxLength(2_048)) }))
    .check(z.minLength(1), z.maxLength(limits.askedUploadsMax)),
})
export const missingUploads = z.object({ missing: z.array(id) })

/** The answer to a new profile picture: its address. */
export const uploadedPicture = z.object({
  profilePicture: z.string().check(z.startsWith(limits.mediaPathPrefix)),
})

/** The picture types a profile accepts, as detected from the bytes. */
export const pictureMimeTypes = ['image/jpeg', 'image/png', 'image/webp'] as const
