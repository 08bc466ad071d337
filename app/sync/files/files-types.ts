import type { MessageDocument } from '../../../schema/message.ts'
import { type FileKeeping, fileKeepings } from '../../database/files/file-budget.ts'
import type { KeyValueStorage } from '../../database/storage/key-value-storage.ts'
import { createLiveValue, type LiveValue } from '../../database/views/live-value.ts'
import { fileKeepingKey } from '../platform/own-texts.ts'
import type { ChatUsage, ClearingOptions } from './file-care.ts'
import type { UploadState } from './uploads.ts'

/** Message files, on this device and in transfer from and to the server. */
export interface Files {
  /** From this device; undefined when missing. */
  find(message: FiledMessage): Promise<Blob | undefined>
  /** From this device, else downloaded and stored. Rejects with words for a person. */
  load(message: FiledMessage): Promise<Blob>
  /**
   * Calls back with a message's file whenever any view in this tab loads it, and at once when one
   * does now. @returns ends it
   */
  onLoading(message: FiledMessage, listener: (file: Promise<Blob>) => void): () => void
  /** Has the person cleared its chat's files since? Then only a request downloads it. */
  wasCleared(message: Pick<MessageDocument, 'peerId' | 'orderedAt'>): Promise<boolean>
  /** The state of own uploads from any tab of this device, by the message's id. */
  uploads: LiveValue<ReadonlyMap<string, UploadState>>
  /** Keeps a message's file on the device while the screen shows it. @returns ends it */
  hold(message: FiledMessage): () => void
  /** How much of them this device keeps. */
  keeping: Keeping
  /** Rises when files were removed by the budget, or may have been. */
  tidied: LiveValue<number>
  /** What each chat takes on this device, largest first. */
  listUsage(): Promise<readonly ChatUsage[]>
  /**
   * Deletes files from the device, except unsent and starred ones.
   * @returns bytes. Rejects with words for a person.
   */
  clear(options: ClearingOptions): Promise<number>
}

export interface FiledMessage extends Pick<MessageDocument, '_id' | 'mediaUrl'> {
  file?: { size: number; mimeType: string; key?: string | undefined } | undefined
}

/** How much of the files this device keeps: a setting of the device, which stays on it. */
interface Keeping {
  choice: LiveValue<FileKeeping>
  /** Files that are too many leave soon after. */
  choose(keeping: FileKeeping): void
}

export function createFileKeeping(options: {
  texts: KeyValueStorage | undefined
  userId: string
  onChosen: () => void
}) {
  const { texts, onChosen } = options
  const key = fileKeepingKey(options.userId)

  /** Another tab may have chosen since. */
  function read(): FileKeeping {
    const text = texts?.getItem(key)
    return fileKeepings.find((keeping) => keeping === text) ?? 'auto'
  }

  const choice = createLiveValue(read())
  const keeping: Keeping = {
    choice,
    choose(wanted) {
      texts?.setItem(key, wanted)
      choice.set(read())
      onChosen()
    },
  }
  return { keeping, read }
}
