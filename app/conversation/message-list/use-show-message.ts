import { useCallback, useEffect, useState } from 'react'
import { limits } from '../../../schema/limits.ts'
import type { ConversationView } from '../../sync/messenger-types.ts'

interface ShowMessageOptions {
  view: ConversationView
  /** Scrolls to a loaded message; false if it is not loaded. */
  scrollTo(messageId: string): boolean
}

/**
 * Shows one message, however old: moves the window to it, scrolls it into the middle, highlights it
 * for 2 s.
 */
export function useShowMessage({ view, scrollTo }: ShowMessageOptions) {
  const [shownId, setShownId] = useState<string>()
  const showMessage = useCallback(
    async (messageId: string) => {
      setShownId(undefined)
      const isHere = scrollTo(messageId) || (await view.jumpTo(messageId))
      if (isHere) setShownId(messageId)
      return isHere
    },
    [view, scrollTo],
  )
  useEffect(() => {
    if (shownId === undefined) return
    scrollTo(shownId)
    const timer = setTimeout(() => setShownId(undefined), limits.searchHighlightMs)
    return () => clearTimeout(timer)
  }, [shownId, scrollTo])
  return { highlightedId: shownId, showMessage }
}
