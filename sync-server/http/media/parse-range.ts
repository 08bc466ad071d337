/** A part of a file, both ends included. */
export interface ByteRange {
  start: number
  end: number
}

/**
 * Reads a Range header for a file of `size` bytes, without support for several parts.
 * @returns undefined for no single part: answer with the whole file; `none` for a part out of
 * range. Source: RFC 9110, section 14
 */
export function parseRange(
  header: string | undefined,
  size: number,
): ByteRange | 'none' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,16})-(\d{0,16})$/.exec(header ?? '') ?? []
  if (first === '' && last === '') return undefined
  if (first === '') {
    const wanted = Number(last)
    return wanted === 0 ? 'none' : { start: Math.max(0, size - wanted), end: size - 1 }
  }
  const start = Number(first)
  const end = last === '' ? size - 1 : Number(last)
  if (end < start && last !== '') return undefined
  return start >= size ? 'none' : { start, end: Math.min(end, size - 1) }
}
