import { ECDH } from 'node:crypto'
import webPush from 'web-push'
import type { AccountsDocument } from '../access/account-documents.ts'
import type { StoredDatabase } from '../storage/stored-database.ts'

const pointBytes = 65

/** The pair that signs pushes (VAPID, RFC 8292), base64url. */
export interface PushKeys {
  publicKey: string
  privateKey: string
}

const _id = 'push-keys'

/**
 * The pair from the settings, or the one made at the first start. It lies beside the subscriptions,
 * which are worthless without it: a backup has both, and all servers on one CouchDB share it.
 */
export async function keepPushKeys(options: {
  database: StoredDatabase<AccountsDocument>
  given: PushKeys | undefined
}): Promise<PushKeys> {
  if (options.given) return options.given
  const made = webPush.generateVAPIDKeys()
  const { result } = await options.database.update<PushKeys>([_id], (stored) => {
    const kept = stored.get(_id)
    return kept && 'privateKey' in kept
      ? { put: [], result: kept }
      : { put: [{ _id, ...made }], result: made }
  })
  const { publicKey, privateKey } = result
  return { publicKey, privateKey }
}

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
