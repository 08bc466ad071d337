import type { EmojiSection, OfferedEmoji } from '../catalogue/list-sections.ts'

export interface EmojiRow {
  /** px from the top of the list. */
  top: number
  height: number
  sectionId: EmojiSection['id']
  /** The heading, if the row is one. */
  title?: string
  /** The index of its first emoji among all. */
  start: number
  offered: readonly OfferedEmoji[]
}

/**
 * All rows with positions computed in advance, so that only visible ones render. Sizes in px.
 * @param sizes.cell how high a row of emoji is
 */
export function layOutRows(
  sections: readonly EmojiSection[],
  { columns, cell, titleHeight = 32 }: { columns: number; cell: number; titleHeight?: number },
): EmojiRow[] {
  const rows: EmojiRow[] = []
  let top = 0
  let start = 0
  for (const { id: sectionId, name, offered } of sections) {
    rows.push({ top, height: titleHeight, sectionId, title: name, start, offered: [] })
    top += titleHeight
    for (let at = 0; at < offered.length; at += columns) {
      const slice = offered.slice(at, at + columns)
      rows.push({ top, height: cell, sectionId, start: start + at, offered: slice })
      top += cell
    }
    start += offered.length
  }
  return rows
}

/** The target of an arrow key: up and down stay in the column, where the row is long enough. */
export function stepThroughRows(
  rows: readonly EmojiRow[],
  from: number | undefined,
  key: string,
): number | undefined {
  const lines = rows.filter(({ offered }) => offered.length > 0)
  const last = lines.at(-1)
  if (!last) return undefined
  const end = last.start + last.offered.length - 1
  if (from === undefined) return 0
  if (key === 'ArrowLeft') return Math.max(from - 1, 0)
  if (key === 'ArrowRight') return Math.min(from + 1, end)
  const line = lines.findIndex(({ start, offered }) => from < start + offered.length)
  const column = from - (lines[line]?.start ?? 0)
  const next = lines[key === 'ArrowUp' ? line - 1 : line + 1]
  return next ? next.start + Math.min(column, next.offered.length - 1) : from
}
