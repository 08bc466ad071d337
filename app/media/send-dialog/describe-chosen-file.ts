import type { AttachedFile } from '../../../schema/attached-file.ts'
import type { MediaType } from '../../../schema/media.ts'
import type { SeenFile } from '../pictures/draw-preview.ts'
import { makePreview } from '../pictures/make-preview.ts'
import { makeVideoPreview } from '../pictures/make-video-preview.ts'

/** The types that browsers draw and that the server accepts as pictures. */
const pictures = /^image\/(jpeg|png|gif|webp|avif)$/
const longestName = 200

/** The `file` field for a chosen file's message. @throws with words for a person */
export async function describeChosenFile(
  file: File,
): Promise<{ type: MediaType; about: AttachedFile }> {
  const name = shorten(file.name.trim()) || 'file'
  if (file.size === 0) throw new Error(`“${name}” is empty. Choose another file.`)
  const mimeType = file.type.slice(0, 200)
  const { type, seen } = await look(file, mimeType)
  return { type, about: { name, size: file.size, mimeType, ...seen } }
}

async function look(
  file: File,
  mimeType: string,
): Promise<{ type: MediaType; seen?: SeenFile | undefined }> {
  if (mimeType.startsWith('video/')) return { type: 'video', seen: await makeVideoPreview(file) }
  if (mimeType.startsWith('audio/')) return { type: 'audio' }
  const seen = pictures.test(mimeType) ? await makePreview(file) : undefined
  return { type: seen ? 'image' : 'document', seen }
}

/** Keeps the end: it has the file's extension. */
function shorten(name: string): string {
  const characters = Array.from(name)
  const half = longestName / 2
  if (characters.length <= longestName) return name
  return `${characters.slice(0, half - 1).join('')}…${characters.slice(-half).join('')}`
}
