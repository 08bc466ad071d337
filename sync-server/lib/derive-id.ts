import { createHash } from 'node:crypto'

/** The same id for the same two parts, in a UUID's form (version 8, of one's own making). */
export function deriveId(key: string, part: string): string {
  const hash = createHash('sha256').update(`${key} ${part}`).digest('hex')
  const groups = [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `8${hash.slice(13, 16)}`,
    `8${hash.slice(17, 20)}`,
    hash.slice(20, 32),
  ]
  return groups.join('-')
}
