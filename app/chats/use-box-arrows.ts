import { type RefObject, useEffect } from 'react'

/**
 * ArrowDown moves from a panel's search box to its first `selector` element, ArrowUp from that one
 * back.
 */
export function useBoxArrows(panel: RefObject<HTMLElement | null>, selector: string): void {
  useEffect(() => {
    const element = panel.current
    if (!element) return
    const onKeyDown = (event: KeyboardEvent) => {
      const box = element.querySelector<HTMLElement>('input[type="search"]')
      const first = element.querySelector<HTMLElement>(selector)
      const leads = { ArrowDown: [box, first], ArrowUp: [first, box] } as const
      if (event.isComposing || (event.key !== 'ArrowDown' && event.key !== 'ArrowUp')) return
      const [from, to] = leads[event.key]
      if (!from || event.target !== from) return
      event.preventDefault()
      to?.focus()
    }
    element.addEventListener('keydown', onKeyDown)
    return () => element.removeEventListener('keydown', onKeyDown)
  }, [panel, selector])
}
