import type { MessageDocument } from '../../schema/message.ts'

/** What is known of a message's file before it is here. */
export interface FileFacts {
  name: string
  /** Bytes; undefined where nobody said it. */
  size: number | undefined
}

/** Messages of a business channel, and of programs, say it elsewhere or not at all. */
export function readFileFacts({ file, media }: Pick<MessageDocument, 'file' | 'media'>): FileFacts {
  return { name: file?.name ?? media?.filename ?? 'File', size: file?.size ?? media?.size }
}
