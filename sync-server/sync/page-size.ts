const firstRows = 16
const mostRows = 500
const pageBytes = 1024 * 1024

/**
 * How many rows are read at once: few at first, then as many as make about a megabyte, so that large documents do not
 * fill the memory and small ones do not take many turns.
 */
export function createPageSize() {
  const state = { rows: firstRows }
  return {
    rows: () => state.rows,
    /** Takes note of a page that was read. */
    record(rows: number, bytes: number) {
      if (rows === 0) return
      const fitting = Math.floor(pageBytes / Math.max(bytes / rows, 1))
      state.rows = Math.min(Math.max(fitting, 1), mostRows)
    },
  }
}
