const firstRows = 16
const pageBytes = 128 * 1024
const mostRows = 100

/**
 * How many rows to read at once: few at first, then about 128 KiB's worth. So large documents do
 * not fill the memory, small ones need few turns, and nobody waits long for another's page.
 */
export function createPageSize() {
  const state = { rows: firstRows }
  return {
    rows: () => state.rows,
    /** Records a read page. */
    record(rows: number, bytes: number) {
      if (rows === 0) return
      const fitting = Math.floor(pageBytes / Math.max(bytes / rows, 1))
      state.rows = Math.min(Math.max(fitting, 1), mostRows)
    },
  }
}
