import type { MessageDocument } from '../../../schema/message.ts'

/** The known facts about a message's file before it loads. */
export interface FileFacts {
  name: string
  /** Bytes; undefined if unknown. */
  size: number | undefined
}

/** Direction marks, which can make a program's name end like a picture's. */
const directionMarks = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** Messages from a business channel or an API client store these elsewhere or not at all. */
export function readFileFacts({ file, media }: Pick<MessageDocument, 'file' | 'media'>): FileFacts {
  const name = (file?.name ?? media?.filename)?.replace(directionMarks, '')
  return { name: name || 'File', size: file?.size ?? media?.size }
}
