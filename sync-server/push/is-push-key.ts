import { ECDH } from 'node:crypto'

const pointBytes = 65

/**
 * Is this a whole point on the curve P-256, in base64url? Nothing can be encrypted for any other.
 * Source: RFC 8291, section 3.1.
 */
export function isPushKey(p256dh: string): boolean {
  // Node also takes nothing at all, and halves of points.
  if (Buffer.from(p256dh, 'base64url').length !== pointBytes) return false
  try {
    ECDH.convertKey(p256dh, 'prime256v1', 'base64url', 'base64url', 'uncompressed')
    return true
  } catch {
    return false
  }
}
