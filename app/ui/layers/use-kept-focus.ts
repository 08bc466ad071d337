import { type RefObject, useEffect } from 'react'
import { focusFirst, nameHeirs, overlay } from './find-focus-path.ts'

/**
 * Keeps the keyboard's place in `container`: when the focused element leaves it, what is left of its
 * row has the focus, else the next row, else the row before, else the container's heading, which
 * needs a `tabIndex`. Whatever closes over the container meanwhile returns the focus there too.
 *
 * @param rows selects the rows: only what is in them keeps its place
 */
export function useKeptFocus(container: RefObject<HTMLElement | null>, rows?: string): void {
  useEffect(() => {
    const element = container.current
    if (!element) return
    let last: HTMLElement | undefined
    const onFocusIn = ({ target }: FocusEvent) => {
      // From a menu or dialog the focus returns.
      if (!(target instanceof HTMLElement) || target.closest(overlay)) return
      last = element.contains(target) && (!rows || target.closest(rows)) ? target : undefined
    }
    const observer = new MutationObserver((changes) => {
      const change = last && changes.find(({ removedNodes }) => hasHeld(removedNodes, last))
      if (!last || !change) return
      // Connected, it was only moved, which takes the focus away as well.
      if (!last.isConnected) nameHeirs(last, listHeirs(element, rows, change))
      if (document.activeElement === document.body) focusFirst([last])
    })
    document.addEventListener('focusin', onFocusIn)
    observer.observe(element, { childList: true, subtree: true })
    return () => {
      document.removeEventListener('focusin', onFocusIn)
      observer.disconnect()
    }
  }, [container, rows])
}

function hasHeld(removed: NodeList, element: HTMLElement | undefined): boolean {
  return [...removed].some((node) => node.contains(element ?? null))
}

function listHeirs(
  container: HTMLElement,
  rows: string | undefined,
  { target, nextSibling, previousSibling }: MutationRecord,
): HTMLElement[] {
  const own = rows && target instanceof HTMLElement ? target.closest(rows) : null
  // After a fast scroll both neighbours are gone as well.
  const near = rows ? [own, nextSibling, previousSibling, container.querySelector(rows)] : []
  const heirs = near.map((row) =>
    row instanceof HTMLElement && rows && row.matches(rows)
      ? row.querySelector<HTMLElement>('a, button')
      : null,
  )
  return [...heirs, container.querySelector<HTMLElement>('h1, h2')].filter((heir) => heir !== null)
}
