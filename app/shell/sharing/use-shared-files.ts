import { useEffect, useMemo, useState } from 'react'
import type { SharedFile, SharedItem } from '../../offline/shared-item.ts'
import { createSharedItems } from '../../offline/shared-items.ts'

/** What another app has shared into the open chat. */
export interface SharedFiles {
  files: readonly File[]
  /** What was written with them. */
  text: string
  /** One of them is stored as a message. */
  onFileSent(file: File): Promise<void>
  /** What was wanted of them is stored. */
  onAllSent(): void
}

/** The files of a shared item, while they wait; each leaves the device's store once it is a message. */
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
      // It still waits, and is offered above the list of chats.
      .catch(() => {})
    return () => {
      now.isOver = true
    }
  }, [id, userId])
  return useMemo(() => {
    if (!item) return undefined
    const items = createSharedItems({ userId })
    // They are messages by now. What can't be taken out is offered once more: nobody sends it again for that.
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
