import type { MediaType } from '../../schema/media.ts'

export interface FileKind {
  type: MediaType
  mimeType: string
}

type Mark = readonly [at: number, bytes: string]

const unknown: FileKind = { type: 'document', mimeType: 'application/octet-stream' }

/** How many leading bytes of a file to examine. */
export const headBytes = 4096

/**
 * A file's kind by its first `headBytes` bytes (or all), never by its name or its sender's claim.
 * Image, video and audio only if browsers run nothing in them. Source of the signatures:
 * https://mimesniff.spec.whatwg.org and the formats' specifications.
 */
export function detectFileKind(bytes: Buffer): FileKind {
  const head = bytes.toString('latin1', 0, headBytes)
  const kind = kinds.find(({ marks }) => marks.every(([at, mark]) => head.startsWith(mark, at)))
  const found = kind ? (kind.refine?.(head) ?? kind) : detectByBrand(head)
  if (!found || isAlsoADocument(head, found)) return unknown
  return { type: found.type, mimeType: found.mimeType }
}

/**
 * A polyglot of picture and page, script or PDF is no picture: no reader of the other format may
 * get it from our origin.
 */
function isAlsoADocument(head: string, { type }: FileKind): boolean {
  if (type === 'document') return false
  return /<(!doctype|html|head|body|script|svg|iframe|\?xml|\?php)|%PDF-/i.test(head)
}

const kinds: readonly (FileKind & {
  marks: readonly Mark[]
  refine?: (head: string) => FileKind | undefined
})[] = [
  image('image/jpeg', [0, '\xff\xd8\xff']),
  image('image/png', [0, '\x89PNG\r\n\x1a\n'], [12, 'IHDR']),
  image('image/gif', [0, 'GIF87a']),
  image('image/gif', [0, 'GIF89a']),
  image('image/webp', [0, 'RIFF'], [8, 'WEBPVP8']),
  {
    ...video('video/webm', [0, '\x1a\x45\xdf\xa3']),
    refine: (head) => {
      if (!head.slice(0, 64).includes('webm')) return unknown
      const isSound = /A_(OPUS|VORBIS)/.test(head) && !/V_(VP[89]|AV1)/.test(head)
      return isSound ? audio('audio/webm') : undefined
    },
  },
  {
    ...audio('audio/ogg', [0, 'OggS\0']),
    refine: (head) => (head.includes('\x80theora') ? video('video/ogg') : undefined),
  },
  audio('audio/wav', [0, 'RIFF'], [8, 'WAVE']),
  audio('audio/mpeg', [0, 'ID3']),
  audio('audio/mpeg', [0, '\xff\xfb']),
  audio('audio/mpeg', [0, '\xff\xf3']),
  audio('audio/mpeg', [0, '\xff\xf2']),
  audio('audio/aac', [0, '\xff\xf1']),
  audio('audio/aac', [0, '\xff\xf9']),
  audio('audio/flac', [0, 'fLaC']),
  { type: 'document', mimeType: 'application/pdf', marks: [[0, '%PDF-']] },
  { type: 'document', mimeType: 'application/zip', marks: [[0, 'PK\x03\x04']] },
]

/** ISO base media files name a brand. Source: https://mp4ra.org/registered-types/brands */
function detectByBrand(head: string): FileKind | undefined {
  if (!head.startsWith('ftyp', 4)) return undefined
  const brand = head.slice(8, 12)
  if (/^avi[fs]$/.test(brand)) return image('image/avif')
  if (/^M4[AB] $/.test(brand)) return audio('audio/mp4')
  if (brand === 'qt  ') return video('video/quicktime')
  if (/^3g[2gp]/.test(brand)) return video('video/3gpp')
  if (/^(iso[\dm]|mp4[12v]|avc1|dash|MSNV|M4V |f4v )$/.test(brand)) {
    return isSoundOnly(head) ? audio('audio/mp4') : video('video/mp4')
  }
  return undefined
}

/** A browser's recording lists its tracks at the beginning: are they all sound? */
function isSoundOnly(head: string): boolean {
  const start = head.indexOf('moov') - 4
  if (start < 0) return false
  const end = start + Buffer.from(head.slice(start, start + 4), 'latin1').readUInt32BE()
  const tracks = head.slice(start, end)
  return end <= head.length && /hdlr.{8}soun/s.test(tracks) && !/hdlr.{8}vide/s.test(tracks)
}

function image(mimeType: string, ...marks: Mark[]) {
  return { type: 'image', mimeType, marks } as const
}

function video(mimeType: string, ...marks: Mark[]) {
  return { type: 'video', mimeType, marks } as const
}

function audio(mimeType: string, ...marks: Mark[]) {
  return { type: 'audio', mimeType, marks } as const
}
