import webPush from 'web-push'
import type { AccountsDocument } from '../access/account-documents.ts'
import type { StoredDatabase } from '../storage/stored-database.ts'

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
