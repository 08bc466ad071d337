import { type RefObject, useEffect } from 'react'

const slackPx = 24

/**
 * Sets `data-collapsed` on the panel while its list is scrolled, so that a low screen can hide the
 * part above the list. Only if the taller list still scrolls, and not while the search has the
 * focus.
 */
export function useCollapse(panel: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = panel.current
    if (!element) return
    const onScroll = ({ target }: Event) => {
      if (!(target instanceof HTMLElement) || target === element) return
      const { scrollTop, scrollHeight, clientHeight } = target
      if (scrollTop <= 0) return element.removeAttribute('data-collapsed')
      const headPx = element.clientHeight - clientHeight
      const isLong = scrollHeight - clientHeight > Math.max(0, headPx) + slackPx
      const isSearching = element.querySelector('search')?.contains(document.activeElement)
      if (scrollTop > slackPx && isLong && !isSearching) element.setAttribute('data-collapsed', '')
    }
    // `scroll` does not bubble.
    element.addEventListener('scroll', onScroll, { capture: true, passive: true })
    return () => element.removeEventListener('scroll', onScroll, { capture: true })
  }, [panel])
}
