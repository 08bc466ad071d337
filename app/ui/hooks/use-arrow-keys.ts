import { type RefObject, useEffect } from 'react'
import { useLatest } from './use-latest.ts'

/**
 * Lets the arrow keys, Home and End move the focus among the `selector` elements inside
 * `container`. From the container itself the arrow keys move to the last visible one.
 *
 * @param onEnd handles Home and End where only a part of the list is rendered, so that its first
 * and last elements are not the ends
 */
export function useArrowKeys(
  container: RefObject<HTMLElement | null>,
  selector: string,
  onEnd?: (key: 'Home' | 'End') => void,
): void {
  const latest = useLatest(onEnd)
  useEffect(() => {
    const element = container.current
    if (!element) return
    const onKeyDown = (event: KeyboardEvent) => {
      const { key } = event
      const isOnItem = event.target instanceof Element && event.target.matches(selector)
      if (latest.current && isOnItem && (key === 'Home' || key === 'End')) {
        event.preventDefault()
        latest.current(key)
      } else if (moveFocus(element, key, selector)) event.preventDefault()
    }
    element.addEventListener('keydown', onKeyDown)
    return () => element.removeEventListener('keydown', onKeyDown)
  }, [container, selector, latest])
}

function moveFocus(list: HTMLElement, key: string, selector: string): boolean {
  const items = [...list.querySelectorAll<HTMLElement>(selector)]
  const isOnList = document.activeElement === list
  const now = items.findIndex((item) => item.contains(document.activeElement))
  const target = isOnList ? pickVisible(key, list, items) : pickTarget(key, now, items.length)
  if (target === undefined) return false
  items[target]?.focus()
  return true
}

function pickVisible(key: string, list: HTMLElement, items: readonly HTMLElement[]) {
  if (key !== 'ArrowDown' && key !== 'ArrowUp') return undefined
  const { bottom } = list.getBoundingClientRect()
  const index = items.findLastIndex((item) => item.getBoundingClientRect().bottom <= bottom + 1)
  return index === -1 ? undefined : index
}

function pickTarget(key: string, now: number, count: number): number | undefined {
  if (count === 0 || now === -1) return undefined
  if (key === 'ArrowDown') return Math.min(now + 1, count - 1)
  if (key === 'ArrowUp') return Math.max(now - 1, 0)
  if (key === 'Home') return 0
  if (key === 'End') return count - 1
  return undefined
}
