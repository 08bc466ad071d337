const firstRows = 16
const mostRows = 100
const pageBytes = 128 * 1024

/**
 * How many rows are read at once: few at first, then as many as make about 128 KiB, so that large documents do not fill
 * the memory, small ones do not take many turns, and nobody waits long for the page that somebody else reads.
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
