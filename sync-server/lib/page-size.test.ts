import { describe, expect, it } from 'vitest'
import { createPageSize } from './page-size.ts'

/** The rows to read after a page of `rows` rows of `bytesEach` bytes. */
function rowsAfter(rows: number, bytesEach: number): number {
  const size = createPageSize()
  size.record(rows, rows * bytesEach)
  return size.rows()
}

describe('P12: a page that others wait for', () => {
  it('is at most a hundred small rows, or 128 KiB of large ones', () => {
    expect(createPageSize().rows()).toBeLessThanOrEqual(16)
    expect(rowsAfter(16, 100)).toBe(100)
    expect(rowsAfter(16, 500)).toBe(100)
    expect(rowsAfter(16, 8 * 1024)).toBe(16)
    expect(rowsAfter(2, 60 * 1024)).toBe(2)
    expect(rowsAfter(1, 1024 * 1024)).toBe(1)
  })
})
