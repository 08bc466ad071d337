import { createHash, timingSafeEqual } from 'node:crypto'
import * as z from 'zod/mini'

const query = z.object({
  'hub.mode': z.string(),
  'hub.challenge': z.string().check(z.minLength(1), z.maxLength(200)),
  'hub.verify_token': z.string(),
})

/**
 * Meta's check that this address wants webhooks. Needs no storage.
 * @returns the challenge for the right token, else the refusal's status: 400 incomplete, 403 wrong
 */
export function answerHandshake(
  given: unknown,
  verifyToken: string,
): { challenge: string } | { status: 400 | 403 } {
  const read = query.safeParse(given)
  if (!read.success) return { status: 400 }
  const isRight =
    read.data['hub.mode'] === 'subscribe' && isSame(read.data['hub.verify_token'], verifyToken)
  return isRight ? { challenge: read.data['hub.challenge'] } : { status: 403 }
}

/** In constant time, whatever their lengths. */
function isSame(a: string, b: string): boolean {
  const digest = (text: string) => new Uint8Array(createHash('sha256').update(text).digest())
  return timingSafeEqual(digest(a), digest(b))
}
