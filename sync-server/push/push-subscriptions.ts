import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { type PushSubscriptionBody, pushLimits } from '../../schema/api/push.ts'
import type { AccountsDocument } from '../access/account-documents.ts'
import type { PushDocument, PushEndpointDocument } from '../access/push-subscription-documents.ts'
import type { Caller } from '../access/token-keeper.ts'
import { atMost } from '../lib/at-most.ts'
import { idsFrom, withoutRev } from '../storage/documents/documents.ts'
import type { StoredDatabase } from '../storage/stored-database.ts'

const peopleRemembered = 20_000
const sharedRememberedMs = 15_000

const deviceKey = ({ userId, sessionId }: Caller) => `push:${userId}:${sessionId}` as const
const endpointKey = (endpoint: string) =>
  `push-at:${createHash('sha256').update(endpoint).digest('base64url')}` as const

export type PushSubscriptions = ReturnType<typeof createPushSubscriptions>

/**
 * Where each signed-in device is pushed to: one subscription a sign-in, one sign-in an endpoint.
 * @param isShared other servers write the same database, so cached entries expire
 * @param now epoch ms
 */
export function createPushSubscriptions(options: {
  database: StoredDatabase<AccountsDocument>
  isShared: boolean
  now?: () => number
}) {
  const { database, isShared, now = Date.now } = options
  const remembered = new LRUCache<string, readonly PushDocument[]>({
    ...atMost(peopleRemembered),
    ...(isShared ? { ttl: sharedRememberedMs } : {}),
  })
  /** Do not cache a read that began before a change and ends after it. */
  const changes = { count: 0 }

  async function readAll(userId: string): Promise<PushDocument[]> {
    const found = (await database.range(idsFrom(`push:${userId}:`))) as PushDocument[]
    return found.map((each) => withoutRev(each) as PushDocument)
  }

  function forget(userIds: readonly string[]) {
    changes.count += 1
    for (const userId of userIds) remembered.delete(userId)
  }

  async function listOf(userId: string): Promise<readonly PushDocument[]> {
    const kept = remembered.get(userId)
    if (kept) return kept
    const changesBefore = changes.count
    const found = await readAll(userId)
    if (changes.count === changesBefore) remembered.set(userId, found)
    return found
  }

  async function removeAll(gone: readonly PushDocument[]): Promise<void> {
    if (gone.length === 0) return
    const ids = gone.flatMap(({ _id, endpoint }) => [_id, endpointKey(endpoint)])
    await database.update(ids, (stored) => ({
      put: gone.flatMap((device) => leave(stored, device)),
      result: undefined,
    }))
    forget(gone.map(({ userId }) => userId))
  }

  return {
    listOf,

    /** Replaces the subscription of this sign-in; whoever had the endpoint before loses it. */
    async put(caller: Caller, body: PushSubscriptionBody): Promise<void> {
      const { endpoint, keys, understands } = body
      const [_id, endpointId] = [deviceKey(caller), endpointKey(endpoint)]
      const found = await database.read([_id, endpointId])
      const earlier = found.get(_id) as PushDocument | undefined
      const holder = found.get(endpointId) as PushEndpointDocument | undefined
      const ids = [
        ...[_id, endpointId],
        ...(earlier ? [endpointKey(earlier.endpoint)] : []),
        ...(holder ? [deviceKey(holder)] : []),
      ]
      await database.update([...new Set(ids)], (stored) => {
        const own = stored.get(_id) as PushDocument | undefined
        const other = holder && (stored.get(deviceKey(holder)) as PushDocument | undefined)
        const isMoved = other !== undefined && other._id !== _id && other.endpoint === endpoint
        const leaving = own && own.endpoint !== endpoint ? leave(stored, own) : []
        return {
          put: [
            {
              ...{ ...idsOf(caller), _id, endpoint, keys, addedAt: now() },
              ...(understands && { understands }),
            },
            { _id: endpointId, ...idsOf(caller) },
            ...leaving.filter((each) => each._id !== _id && each._id !== endpointId),
            ...(isMoved ? [{ ...other, _deleted: true as const }] : []),
          ],
          result: undefined,
        }
      })
      forget([caller.userId, ...(holder ? [holder.userId] : [])])
      const all = (await readAll(caller.userId)).toSorted((a, b) => b.addedAt - a.addedAt)
      await removeAll(all.slice(pushLimits.devicesPerPersonMax))
    },

    /** Ends the pushes to this sign-in's device; to an endpoint, only while it is still that one. */
    async remove(caller: Caller, endpoint?: string): Promise<void> {
      const _id = deviceKey(caller)
      const device = (await database.read([_id])).get(_id) as PushDocument | undefined
      if (device && (endpoint === undefined || device.endpoint === endpoint))
        await removeAll([withoutRev(device) as PushDocument])
    },

    /** Ends the pushes to all of a person's devices. */
    async removeAllOf(userId: string): Promise<void> {
      await removeAll(await readAll(userId))
    },
  }
}

const idsOf = ({ userId, sessionId }: Caller) => ({ userId, sessionId })

/** The writes that remove a device unless it changed meanwhile, and its endpoint unless another has it. */
function leave(stored: ReadonlyMap<string, AccountsDocument>, device: PushDocument) {
  const kept = stored.get(device._id) as PushDocument | undefined
  const endpointId = endpointKey(device.endpoint)
  const holder = stored.get(endpointId) as PushEndpointDocument | undefined
  return [
    ...(kept?.endpoint === device.endpoint ? [{ ...kept, _deleted: true as const }] : []),
    ...(holder?.sessionId === device.sessionId ? [{ ...holder, _deleted: true as const }] : []),
  ]
}
