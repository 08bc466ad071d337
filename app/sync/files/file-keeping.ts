import { type FileKeeping, fileKeepings } from '../../database/files/file-budget.ts'
import type { KeyValueStorage } from '../../database/storage/key-value-storage.ts'
import { createLiveValue, type LiveValue } from '../../database/views/live-value.ts'
import { fileKeepingKey } from '../platform/own-texts.ts'

/** How much of the files this device keeps: a setting of the device, which stays on it. */
export interface Keeping {
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
