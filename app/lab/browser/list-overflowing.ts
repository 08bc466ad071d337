import type { Page } from 'playwright-core'

/**
 * Elements wholly or partly beyond the window's edges that vertical scrolling cannot reach. Only
 * the chips above the list may scroll sideways.
 */
export function listOverflowing(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const scrolledBy = (element: Element | null): number => {
      if (element === null) return 0
      const scrolls = ['auto', 'scroll'].includes(getComputedStyle(element).overflowY)
      return (scrolls ? element.scrollTop : 0) + scrolledBy(element.parentElement)
    }
    const scrolls = (element: Element | null): boolean =>
      element !== null &&
      (['auto', 'scroll'].includes(getComputedStyle(element).overflowY) ||
        scrolls(element.parentElement))
    // Ignores clipped text for screen readers, and elements without a size, used for measuring.
    const isCutAway = (element: Element | null): boolean =>
      element !== null &&
      (getComputedStyle(element).clipPath.startsWith('inset') || isCutAway(element.parentElement))
    const isEndOfLine = ({ parentElement }: Element): boolean =>
      parentElement !== null &&
      (getComputedStyle(parentElement).textOverflow === 'ellipsis' || isEndOfLine(parentElement))
    return [...document.querySelectorAll<HTMLElement>('body *')]
      .filter((element) => element.checkVisibility({ visibilityProperty: true }))
      .filter((element) => {
        const box = element.getBoundingClientRect()
        const isBeside = box.left < -0.5 || box.right > innerWidth + 0.5
        const isAbove = box.top + scrolledBy(element.parentElement) < -0.5
        const isBelow = box.bottom > innerHeight + 0.5 && !scrolls(element.parentElement)
        return (
          box.width > 0 &&
          !isCutAway(element) &&
          !isEndOfLine(element) &&
          ((isBeside && !element.closest('fieldset > *')) || isAbove || isBelow)
        )
      })
      .map((element) => element.outerHTML.slice(0, 150))
  })
}
