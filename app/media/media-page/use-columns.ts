import { type RefObject, useLayoutEffect, useState } from 'react'

const widestPx = 150
const fewest = 3

/** The number of pictures per row for an element's current width. */
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
