import type { MessageDocument } from '../../../schema/message.ts'
import type { Messenger } from '../../sync/messenger-types.ts'
import { formatBytes } from '../../ui/format/format-amounts.ts'
import type { FileView } from '../loading/use-file.ts'

/** The known facts about a message's file before it loads. */
export interface FileFacts {
  name: string
  /** Bytes; undefined if unknown. */
  size: number | undefined
  /** The kind as people name it, such as `PDF`; undefined for a name without an ending. */
  kind: string | undefined
}

const ending = /\.([a-z0-9]{1,5})$/i

/** Direction marks, which can make a program's name end like a picture's. */
const directionMarks = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** Messages from a business channel or an API client store these elsewhere or not at all. */
export function readFileFacts({ file, media }: Pick<MessageDocument, 'file' | 'media'>): FileFacts {
  const name = (file?.name ?? media?.filename)?.replace(directionMarks, '')
  return {
    name: name || 'File',
    size: file?.size ?? media?.size,
    kind: name?.match(ending)?.[1]?.toUpperCase(),
  }
}

/** The label of the button that loads a file. @param size in bytes, if known */
export function describeWish(view: FileView, size: number | undefined): string {
  if (view.kind === 'loading') return 'Loading…'
  if (view.kind === 'away' && view.problem) return view.problem
  return size === undefined ? 'Load' : formatBytes(size)
}

export interface MessageFileProps {
  messenger: Pick<Messenger, 'files' | 'connection' | 'commands' | 'userId'>
  message: MessageDocument
}
