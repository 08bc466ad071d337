import { useCallback, useMemo, useState } from 'react'
import type { EmojiSection } from '../catalogue/list-sections.ts'
import { layOutRows } from './lay-out-rows.ts'

/** px: the smallest touch target. */
const smallestCell = 44
const fewestColumns = 4

/** The rows of emoji for the current width. */
export function useGridRows(sections: readonly EmojiSection[]) {
  const [width, setWidth] = useState(0)
  const measure = useCallback((px: number) => setWidth(Math.floor(px)), [])
  const columns = Math.max(Math.floor(width / smallestCell), fewestColumns)
  const cell = Math.floor(width / columns)
  const rows = useMemo(
    () => (width === 0 ? [] : layOutRows(sections, { columns, cell })),
    [sections, width, columns, cell],
  )
  return { rows, columns, measure }
}
