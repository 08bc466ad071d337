import { type RefObject, useLayoutEffect, useRef } from 'react'

const moveMs = 240
const riseMs = 160
const risePx = 8
const easing = 'cubic-bezier(0.2, 0.8, 0.3, 1)'

/** More rows than this at once are another page, not something that arrived. */
const arrivalsMost = 3

/**
 * Rows whose place changed move there instead of jumping. Each is measured within its list, so
 * scrolling moves none; where more than one row came or went, the list is another one.
 * @param keys of the rows, in their order
 */
export function useMovingRows(
  container: RefObject<HTMLElement | null>,
  { selector, keys }: { selector: string; keys: readonly string[] },
): void {
  const before = useRef<{ keys: readonly string[]; tops: WeakMap<Element, number> }>({
    keys: [],
    tops: new WeakMap(),
  })
  const order = keys.join(' ')
  useLayoutEffect(() => {
    const known = before.current
    const now = order.split(' ')
    const rows = [...(container.current?.querySelectorAll<HTMLElement>(selector) ?? [])]
    const tops = new WeakMap<Element, number>()
    const isSameList = countStrangers(known.keys, now) <= 1
    for (const row of rows) {
      const top = row.offsetTop
      const from = known.tops.get(row)
      tops.set(row, top)
      if (from === undefined || from === top || !isSameList || isStill()) continue
      const options = { duration: moveMs, easing }
      row.animate({ transform: [`translateY(${from - top}px)`, 'none'] }, options)
    }
    before.current = { keys: now, tops }
  }, [container, selector, order])
}

/**
 * What arrives at the end of a list rises a little. Rows that were there before, and those that
 * scrolling brings, stand still.
 * @param keys of the rows, in their order
 * @param find a row's element
 */
export function useRisingRows(
  keys: readonly string[],
  { isAtEnd, find }: { isAtEnd: boolean; find(key: string): Element | null | undefined },
): void {
  const last = useRef<string>(undefined)
  const end = keys.at(-1)
  useLayoutEffect(() => {
    const from = last.current === undefined ? -1 : keys.lastIndexOf(last.current)
    last.current = end
    const arrived = from === -1 || !isAtEnd ? [] : keys.slice(from + 1)
    if (arrived.length > arrivalsMost || isStill()) return
    for (const key of arrived) {
      find(key)?.animate(
        { opacity: [0, 1], transform: [`translateY(${risePx}px)`, 'none'] },
        { duration: riseMs, easing },
      )
    }
  })
}

function countStrangers(before: readonly string[], now: readonly string[]): number {
  const [had, has] = [new Set(before), new Set(now)]
  const came = now.filter((key) => !had.has(key)).length
  return Math.max(came, before.filter((key) => !has.has(key)).length)
}

function isStill(): boolean {
  return matchMedia('(prefers-reduced-motion: reduce)').matches
}
