import { type RefObject, useLayoutEffect, useState } from 'react'

const widestPx = 150
const fewest = 3

/** How many pictures stand side by side in an element, as wide as it is at the moment. */
export function useColumns(element: RefObject<HTMLElement | null>): number {
  const [columns, setColumns] = useState(fewest)
  useLayoutEffect(() => {
    const { current } = element
    if (!current) return
    const measure = () => setColumns(Math.max(fewest, Math.round(current.clientWidth / widestPx)))
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(current)
    return () => observer.disconnect()
  }, [element])
  return columns
}
