import type { OutgoingType } from './outgoing-message.ts'

type MediaType = Extract<OutgoingType, 'image' | 'video' | 'audio' | 'document' | 'sticker'>

const mebibyte = 1024 * 1024
const openXml = 'application/vnd.openxmlformats-officedocument'

/**
 * The types WhatsApp accepts for each kind of message, and their size limits. Source: Meta's page
 * "Media".
 */
const kinds: readonly { type: MediaType; maxBytes: number; mimeTypes: readonly string[] }[] = [
  { type: 'image', maxBytes: 5 * mebibyte, mimeTypes: ['image/jpeg', 'image/png'] },
  { type: 'video', maxBytes: 16 * mebibyte, mimeTypes: ['video/mp4', 'video/3gpp'] },
  {
    type: 'audio',
    maxBytes: 16 * mebibyte,
    mimeTypes: ['audio/aac', 'audio/amr', 'audio/mpeg', 'audio/mp4', 'audio/ogg'],
  },
  { type: 'sticker', maxBytes: 500 * 1024, mimeTypes: ['image/webp'] },
  {
    type: 'document',
    maxBytes: 100 * mebibyte,
    mimeTypes: [
      'application/pdf',
      'text/plain',
      'application/msword',
      'application/vnd.ms-excel',
      'application/vnd.ms-powerpoint',
      `${openXml}.wordprocessingml.document`,
      `${openXml}.spreadsheetml.sheet`,
      `${openXml}.presentationml.presentation`,
    ],
  },
]

/** The type without parameters: WhatsApp refuses `audio/ogg; codecs=opus` because of them. */
export function stripParameters(mimeType: string): string {
  return (mimeType.split(';')[0] ?? '').trim().toLowerCase()
}

/**
 * Can this file be sent as that kind of message? @returns the reason why not, as a sentence, or
 * null
 */
export function refuseMedia(file: {
  mimeType: string
  size: number
  type: MediaType
}): string | null {
  const mimeType = stripParameters(file.mimeType)
  const kind = kinds.find(({ type }) => type === file.type)
  if (!kind?.mimeTypes.includes(mimeType)) {
    return `WhatsApp cannot send files of this format (${mimeType}) as ${file.type}.`
  }
  if (file.size > kind.maxBytes) {
    const most = kind.maxBytes >= mebibyte ? `${kind.maxBytes / mebibyte} MB` : '500 KB'
    return `The file is too large: WhatsApp takes up to ${most}.`
  }
  return null
}
