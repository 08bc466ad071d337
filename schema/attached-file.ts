import * as z from 'zod/mini'
import { limits } from './limits.ts'

const pixels = z.int().check(z.gte(1))

/**
 * What a message says of its file, so that its reader sees something before the file is there. `size` in bytes; `width`
 * and `height` in pixels, as it is shown; `preview`: a tiny blurred picture as a data URL, of a picture only.
 */
export const attachedFile = z.object({
  name: z.string().check(z.minLength(1), z.maxLength(240)),
  size: z.int().check(z.gte(1)),
  mimeType: z.string().check(z.maxLength(200)),
  width: z.optional(pixels),
  height: z.optional(pixels),
  preview: z.optional(
    z.string().check(z.startsWith('data:image/'), z.maxLength(limits.previewMaxLength)),
  ),
})
export type AttachedFile = z.infer<typeof attachedFile>
