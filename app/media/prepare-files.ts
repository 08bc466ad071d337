import type { AttachedFile } from '../../schema/attached-file.ts'
import type { MediaType } from '../../schema/media.ts'
import { drawPreview, type SeenFile } from './pictures/draw-preview.ts'
import { makeVideoPreview } from './pictures/make-video-preview.ts'
import { isAnimated, makeSticker, shrinkPicture } from './pictures/shrink-picture.ts'

/** The types that browsers draw and that the server accepts as pictures. */
const pictures = /^image\/(jpeg|png|gif|webp|avif)$/

const turnable = /^image\/(jpeg|png|webp)$/

const longestName = 200

/** What `sendFile` takes of a file. */
export interface PreparedFile {
  bytes: File
  type: MediaType
  about: AttachedFile
}

/** A part of a picture, in shares of its sides from the left and the top. */
export interface PictureCut {
  left: number
  top: number
  width: number
  height: number
}

export type Corner = 'top left' | 'top right' | 'bottom left' | 'bottom right'

/** The least side of a cut. */
const least = 0.1

/** Moves one corner, or without one the whole cut, by shares of the picture; it stays inside. */
export function moveCut(
  cut: PictureCut,
  { corner, x, y }: { corner: Corner | undefined; x: number; y: number },
): PictureCut {
  const [right, bottom] = [cut.left + cut.width, cut.top + cut.height]
  const between = (value: number, low: number, high: number) => Math.min(high, Math.max(low, value))
  if (!corner) {
    const left = between(cut.left + x, 0, 1 - cut.width)
    const top = between(cut.top + y, 0, 1 - cut.height)
    return { ...cut, left, top }
  }
  const isLeft = corner.endsWith('left')
  const isTop = corner.startsWith('top')
  const left = isLeft ? between(cut.left + x, 0, right - least) : cut.left
  const top = isTop ? between(cut.top + y, 0, bottom - least) : cut.top
  const endX = isLeft ? right : between(right + x, cut.left + least, 1)
  const endY = isTop ? bottom : between(bottom + y, cut.top + least, 1)
  return { left, top, width: endX - left, height: endY - top }
}

/** A picture as it is sent as a sticker. @throws with words for a person */
export async function prepareSticker(file: File): Promise<PreparedFile> {
  await checkReadable(file)
  const bytes = await makeSticker(file)
  const { type, about } = await describeFile(bytes)
  return { bytes, type, about: { ...about, isSticker: true } }
}

/**
 * Makes files ready to be sent while the person still looks at them, one after the other: each
 * decoded picture takes tens of MB. Sending then only stores them, and needs no wait of its own.
 */
export function createPreparation({ isUntouched }: { isUntouched: boolean }) {
  const made = new Map<File, Promise<PreparedFile>>()
  let last: Promise<unknown> = Promise.resolve()

  function prepare(file: File): Promise<PreparedFile> {
    const known = made.get(file)
    if (known !== undefined) return known
    const next = last.then(async () => {
      const bytes = isUntouched ? file : await shrinkPicture(file)
      return { bytes, ...(await describeFile(bytes)) }
    })
    last = next.catch(() => {})
    made.set(file, next)
    return next
  }

  return {
    /** Begins with a file. What fails is told by `finish`. */
    begin(file: File) {
      prepare(file).catch(() => {})
    },
    /**
     * The file as it is sent. @throws with words for a person if it is empty or cannot be read,
     * which may have become so since
     */
    async finish(file: File): Promise<PreparedFile> {
      await checkReadable(file)
      return await prepare(file)
    },
  }
}

/** Can a picture be turned and cut here? One that moves stays what it is. */
export async function canEdit(file: File): Promise<boolean> {
  return turnable.test(file.type) && !(await isAnimated(file).catch(() => true))
}

/** The picture a quarter turned to the right, or cut to a part. */
export async function editPicture(
  file: File,
  edit: { kind: 'turn' } | { kind: 'cut'; cut: PictureCut },
): Promise<File> {
  const bitmap = await createImageBitmap(file)
  const { width, height } = bitmap
  const cut = edit.kind === 'turn' ? { left: 0, top: 0, width: 1, height: 1 } : edit.cut
  const [wide, high] = [
    Math.max(1, Math.round(width * cut.width)),
    Math.max(1, Math.round(height * cut.height)),
  ]
  const canvas = document.createElement('canvas')
  Object.assign(
    canvas,
    edit.kind === 'turn' ? { width: high, height: wide } : { width: wide, height: high },
  )
  const context = canvas.getContext('2d')
  if (!context) throw new Error('This picture can’t be changed here.')
  if (edit.kind === 'turn') {
    context.translate(high, 0)
    context.rotate(Math.PI / 2)
  }
  context.drawImage(bitmap, -Math.round(width * cut.left), -Math.round(height * cut.top))
  bitmap.close()
  const isPhoto = file.type === 'image/jpeg'
  const bytes = await new Promise<Blob | null>((resolve) =>
    canvas.toBlob(resolve, isPhoto ? 'image/jpeg' : 'image/png', 0.95),
  )
  if (!bytes) throw new Error('This picture can’t be changed here.')
  const name = isPhoto ? file.name : `${file.name.replace(/\.[^.]*$/, '')}.png`
  return new File([bytes], name, { type: bytes.type })
}

function nameOf(file: File): string {
  return shorten(file.name.trim()) || 'file'
}

async function checkReadable(file: File): Promise<void> {
  if (file.size === 0) throw new Error(`“${nameOf(file)}” is empty. Choose another file.`)
  // A folder, or a file that was moved or changed since: storing it would fail as on a full disk.
  await file
    .slice(0, 1)
    .arrayBuffer()
    .catch((cause: unknown) => {
      throw new Error(`“${nameOf(file)}” can't be read. Choose another file.`, { cause })
    })
}

/** The `file` field for a chosen file's message. */
async function describeFile(file: File): Promise<{ type: MediaType; about: AttachedFile }> {
  const mimeType = file.type.slice(0, 200)
  const { type, seen } = await look(file, mimeType)
  return { type, about: { name: nameOf(file), size: file.size, mimeType, ...seen } }
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

/**
 * A picture's displayed size, after EXIF rotation, and a blurred picture of a few hundred bytes.
 * @returns undefined if this browser cannot draw it
 */
async function makePreview(picture: Blob): Promise<SeenFile | undefined> {
  const bitmap = await createImageBitmap(picture).catch(() => undefined)
  if (!bitmap) return undefined
  const seen = drawPreview(bitmap, bitmap)
  bitmap.close()
  return seen
}
