import type { Page } from 'playwright-core'

/** What lies beyond the window's edges, wholly or in part, and no scrolling brings into it. */
export function listOverflowing(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const scrolls = (element: Element | null, way: 'overflowX' | 'overflowY'): boolean =>
      element !== null &&
      (['auto', 'scroll'].includes(getComputedStyle(element)[way]) ||
        scrolls(element.parentElement, way))
    // What only screen readers are to find is cut away; what has no size is there to be measured.
    const isCut = (element: Element | null): boolean =>
      element !== null &&
      (getComputedStyle(element).clipPath.startsWith('inset') || isCut(element.parentElement))
    return [...document.querySelectorAll<HTMLElement>('body *')]
      .filter((element) => element.checkVisibility({ visibilityProperty: true }))
      .filter((element) => {
        const box = element.getBoundingClientRect()
        const isBeside = box.left < -0.5 || box.right > innerWidth + 0.5
        const isAbove = box.top < -0.5 || box.bottom > innerHeight + 0.5
        return (
          box.width > 0 &&
          !isCut(element) &&
          ((isBeside && !scrolls(element.parentElement, 'overflowX')) ||
            (isAbove && !scrolls(element.parentElement, 'overflowY')))
        )
      })
      .map((element) => element.outerHTML.slice(0, 150))
  })
}
