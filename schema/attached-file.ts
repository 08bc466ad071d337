import * as z from 'zod/mini'
import { limits } from './limits.ts'

const pixels = z.int().check(z.gte(1))

/**
 * What is heard in a voice message: how long, and how loud each of so many equal parts is, one digit each, from 0 to z.
 * A later version may let it be longer than this one does: a day is the bound of what is read.
 */
const voiceFacts = z.object({
  durationMs: z.int().check(z.gte(1), z.lte(24 * 60 * 60 * 1000)),
  waveform: z.string().check(z.regex(/^[0-9a-z]*$/), z.maxLength(limits.waveformMaxParts)),
})
export type VoiceFacts = z.infer<typeof voiceFacts>

/**
 * What a message says of its file, so that its reader sees something before the file is there. `size` in bytes; `width`
 * and `height` in pixels, as it is shown; `preview`: a tiny blurred picture as a data URL, of a picture or of a video's
 * first frame; `voice`: of a voice message only.
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
  voice: z.optional(voiceFacts),
})
export type AttachedFile = z.infer<typeof attachedFile>
