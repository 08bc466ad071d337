import { createHash } from 'node:crypto'

/** A deterministic id for two parts, as a UUID of version 8 (custom). */
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
