import type { Page } from 'playwright-core'

/**
 * The visible controls under 44 px high or wide, which a finger may miss. Two kinds need only 24 px
 * and no overlap (WCAG 2.5.8): a link inside running text; and, during selection, a message, which
 * is as wide as the list and would move the others if it grew.
 */
export function listSmallControls(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const wanted = 'button, a, input, textarea, select, summary, [role="menuitem"]'
    const shown = [...document.querySelectorAll<HTMLElement>(wanted)]
      .filter((control) => control.checkVisibility({ visibilityProperty: true }))
      .map((control) => {
        const message = control.matches('article > input') && control.parentElement
        const isLink =
          control.matches('article a') && getComputedStyle(control).display === 'inline'
        const area = message || control.closest('label') || control
        const boxes = isLink ? [...area.getClientRects()] : [area.getBoundingClientRect()]
        return { control, area, boxes, isText: isLink || message !== false }
      })
      .filter(({ boxes }) => boxes.some(({ width }) => width > 0))
    const lie = (one: DOMRect, other: DOMRect) =>
      one.left < other.right &&
      other.left < one.right &&
      one.top < other.bottom - 0.5 &&
      other.top < one.bottom - 0.5
    const texts = shown.filter(({ isText }) => isText)
    return shown
      .filter((one) => {
        const least = one.isText ? 24 : 44
        const isOver = texts.some(
          (other) =>
            one.isText &&
            !one.area.contains(other.area) &&
            !other.area.contains(one.area) &&
            one.boxes.some((box) => other.boxes.some((further) => lie(box, further))),
        )
        // A broken word may end with a short line.
        const width = Math.max(...one.boxes.map((box) => box.width))
        const height = Math.min(...one.boxes.map((box) => box.height))
        return isOver || width < least - 0.5 || height < least - 0.5
      })
      .map(({ control, boxes }) => {
        const sizes = boxes.map(
          ({ width, height }) => `${Math.round(width)} × ${Math.round(height)}`,
        )
        return `${sizes.join(', ')}: ${control.outerHTML.slice(0, 150)}`
      })
  })
}
