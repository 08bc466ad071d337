import { type RefObject, useEffect, useState } from 'react'
import { useLatest } from '../../ui/hooks/use-latest.ts'

/**
 * Handles files that the person pastes into a chat or drops on it.
 * @param onFiles undefined while nothing can be sent; a dropped file must still not replace the
 * page
 * @returns the chat element while files are dragged over it
 */
export function useGivenFiles(
  field: RefObject<HTMLElement | null>,
  onFiles: ((files: readonly File[]) => void) | undefined,
): Element | undefined {
  const [place, setPlace] = useState<Element>()
  const latest = useLatest(onFiles)
  useEffect(() => {
    const chat = field.current?.closest('section') ?? undefined
    const added = new AbortController()
    const findPlace = ({ target }: Event) =>
      chat && latest.current && target instanceof Node && chat.contains(target) ? chat : undefined

    const listeners = {
      dragover(event: DragEvent) {
        if (!event.dataTransfer || !holdsFiles(event.dataTransfer)) return
        event.preventDefault()
        const now = findPlace(event)
        event.dataTransfer.dropEffect = now ? 'copy' : 'none'
        setPlace(now)
      },
      dragleave(event: DragEvent) {
        if (event.relatedTarget === null) setPlace(undefined)
      },
      drop(event: DragEvent) {
        if (!event.dataTransfer || !holdsFiles(event.dataTransfer)) return
        event.preventDefault()
        setPlace(undefined)
        if (findPlace(event)) give(event.dataTransfer)
      },
      paste(event: ClipboardEvent) {
        const data = event.clipboardData
        // Text copied from a page or a document comes with a picture of it: the text wins.
        if (!data || !holdsFiles(data) || data.types.includes('text/plain')) return
        if (!findPlace(event)) return
        event.preventDefault()
        give(data)
      },
    }
    function give(data: DataTransfer) {
      const files = [...data.files]
      if (files.length > 0) latest.current?.(files)
    }
    for (const [name, listener] of Object.entries(listeners)) {
      addEventListener(name, listener as EventListener, { signal: added.signal })
    }
    return () => added.abort()
  }, [field, latest])
  return place
}

function holdsFiles(data: DataTransfer): boolean {
  return data.types.includes('Files')
}
