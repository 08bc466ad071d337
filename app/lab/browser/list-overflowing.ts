import type { Page } from 'playwright-core'

/**
 * What lies beyond the window's edges, wholly or in part, and no scrolling up or down brings into it. Only the chips
 * above the list may be scrolled to the side.
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
    // What only screen readers are to find is cut away; what has no size is there to be measured.
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
