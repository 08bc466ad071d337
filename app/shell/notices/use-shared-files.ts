import { useEffect, useMemo, useState } from 'react'
import type { SharedFile, SharedItem } from '../../offline/shared-item.ts'
import { createSharedItems } from '../../offline/shared-items.ts'

/** Files that another app has shared into the open chat. */
export interface SharedFiles {
  files: readonly File[]
  /** The text shared with them. */
  text: string
  /** Called when one of them is stored as a message. */
  onFileSent(file: File): Promise<void>
  /** Called when all wanted ones are stored. */
  onAllSent(): void
}

/** The pending files of a shared item; each leaves the device's store once it is a message. */
export function useSharedFiles({
  userId,
  id,
}: {
  userId: string
  id: string | undefined
}): SharedFiles | undefined {
  const [item, setItem] = useState<SharedItem>()
  useEffect(() => {
    const now = { isOver: false }
    setItem(undefined)
    if (id === undefined) return
    createSharedItems({ userId })
      .list()
      .then((list) => !now.isOver && setItem(list.find((one) => one.id === id)))
      // It stays pending, and the app offers it above the list of chats.
      .catch(() => {})
    return () => {
      now.isOver = true
    }
  }, [id, userId])
  return useMemo(() => {
    if (!item) return undefined
    const items = createSharedItems({ userId })
    // They are messages by now. A file that cannot be removed is offered once more: the person need
    // not send it.
    const drop = (files: readonly SharedFile[]) =>
      items
        .dropFiles(
          item.id,
          files.map(({ key }) => key),
        )
        .catch(() => {})
    return {
      files: item.files.map(({ file }) => file),
      text: item.text,
      onFileSent: (sent) => drop(item.files.filter(({ file }) => file === sent)),
      onAllSent: () => void drop(item.files),
    }
  }, [item, userId])
}
