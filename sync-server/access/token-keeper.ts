import { createSecretKey } from 'node:crypto'
import jwt from 'jsonwebtoken'
import { LRUCache } from 'lru-cache'
import * as z from 'zod/mini'
import { atMost } from '../lib/at-most.ts'

const issuer = 'petrel'
const audience = 'petrel'
/** Fixed, so that a token can never choose "none" or another algorithm for itself. */
const algorithm = 'HS256'
const tokensRemembered = 10_000

const claims = z.object({ sub: z.string(), sid: z.string(), exp: z.number() })

/** The person and sign-in that a token stands for. */
export interface Caller {
  userId: string
  sessionId: string
}

/** A caller whose token is valid until then, epoch ms. */
export interface TokenHolder extends Caller {
  expiresAt: number
}

/** Makes and reads bearer tokens. @param secret at least 32 characters, the same on every server */
export function createTokenKeeper({ secret }: { secret: string }) {
  // As text, the library would first try each secret as a public key, the costliest step of all.
  const key = createSecretKey(secret, 'utf8')
  /** A token's content never changes, and a device sends the same one with each request. */
  const verified = new LRUCache<string, TokenHolder>(atMost(tokensRemembered))

  function verify(token: string): TokenHolder | null {
    try {
      const payload = jwt.verify(token, key, { algorithms: [algorithm], issuer, audience })
      const parsed = claims.safeParse(payload)
      if (!parsed.success) return null
      const { sub, sid, exp } = parsed.data
      return { userId: sub, sessionId: sid, expiresAt: exp * 1000 }
    } catch {
      return null
    }
  }

  return {
    /** @param expiresAt epoch ms */
    sign({ userId, sessionId }: Caller, expiresAt: number): string {
      const payload = { sub: userId, sid: sessionId, exp: Math.floor(expiresAt / 1000) }
      return jwt.sign(payload, key, { algorithm, issuer, audience })
    },
    /** The caller, or null for a forged, expired or foreign token. */
    read(token: string): TokenHolder | null {
      const known = verified.get(token)
      if (known) return known.expiresAt > Date.now() ? known : null
      const holder = verify(token)
      if (holder) verified.set(token, holder)
      return holder
    },
  }
}

export type TokenKeeper = ReturnType<typeof createTokenKeeper>
