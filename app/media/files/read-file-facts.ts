import type { MessageDocument } from '../../../schema/message.ts'

/** What is known of a message's file before it is here. */
export interface FileFacts {
  name: string
  /** Bytes; undefined where nobody said it. */
  size: number | undefined
}

/** Turned around by these, a program's name ends like a picture's. */
const directionMarks = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** Messages of a business channel, and of programs, say it elsewhere or not at all. */
export function readFileFacts({ file, media }: Pick<MessageDocument, 'file' | 'media'>): FileFacts {
  const name = (file?.name ?? media?.filename)?.replace(directionMarks, '')
  return { name: name || 'File', size: file?.size ?? media?.size }
}
