import * as z from 'zod/mini'
import { limits } from './limits.ts'

const pixels = z.int().check(z.gte(1))

/**
 * A voice message's sound: its length, and the loudness of equal parts, one digit each, 0 to z.
 * A later version may allow longer ones; this version reads up to a day.
 */
const voiceFacts = z.object({
  durationMs: z.int().check(z.gte(1), z.lte(24 * 60 * 60 * 1000)),
  waveform: z.string().check(z.regex(/^[0-9a-z]*$/), z.maxLength(limits.waveformMaxParts)),
})
export type VoiceFacts = z.infer<typeof voiceFacts>

/**
 * What a message says about its file, shown before the file arrives. `size` in bytes; `width` and
 * `height` in pixels as shown; `preview`: a tiny blurred picture as a data URL (for a video, of its
 * first frame); `voice`: only on voice messages; `isSticker`: the picture of a sticker made here; `key`: opens what lies at `mediaUrl`, which is sealed
 * then. It stands in sealed words alone, never beside them.
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
  isSticker: z.optional(z.boolean()),
  key: z.optional(z.string().check(z.regex(/^[\w-]{43}$/))),
})
export type AttachedFile = z.infer<typeof attachedFile>
