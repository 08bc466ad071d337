import { LRUCache } from 'lru-cache'
import { atMost } from '../lib/at-most.ts'
import { idsFrom } from '../storage/documents/documents.ts'
import type { StoredDatabase } from '../storage/stored-database.ts'
import {
  type AccountsDocument,
  accountKey,
  type BlockDocument,
  isAccount,
} from './account-documents.ts'

/**
 * `held`: the recipient blocks the sender, so the server accepts and never delivers. `channel`: the
 * recipient is the sender's contact on a business channel, and has no copy here.
 */
export type Reach = 'delivered' | 'held' | 'channel' | 'unknown_person'

/** The people a person blocks, and the people who block them. */
export interface Blocks {
  blocked: ReadonlySet<string>
  blockedBy: ReadonlySet<string>
}

export type Relations = ReturnType<typeof createRelations>

const peopleRemembered = 20_000
const pairsRemembered = 100_000
const sharedRememberedMs = 10_000

/**
 * Decides who may reach each other.
 * @param isShared other servers write the same database, so cached entries expire
 * @param isContact is the second a contact of the first on a business channel? Without it, nobody
 * is
 */
export function createRelations(options: {
  database: StoredDatabase<AccountsDocument>
  isShared: boolean
  isContact?: (ownerId: string, contactId: string) => Promise<boolean>
  now?: () => number
}) {
  const { database, isShared, isContact = async () => false, now = Date.now } = options
  const ttl = isShared ? { ttl: sharedRememberedMs } : {}
  const known = new LRUCache<string, true>({ ...atMost(peopleRemembered), ...ttl })
  const blocks = new LRUCache<string, Blocks>({ ...atMost(peopleRemembered), ...ttl })
  const reaches = new LRUCache<string, Reach>({ ...atMost(pairsRemembered), ...ttl })
  /** Do not cache a read that began before a change and ends after it. */
  const changes = { count: 0 }
  const listeners = new Set<(userIds: readonly string[]) => void>()

  async function isKnown(userId: string): Promise<boolean> {
    if (known.has(userId)) return true
    const changesBefore = changes.count
    const key = accountKey(userId)
    const isHere = isAccount((await database.read([key])).get(key))
    if (isHere && changes.count === changesBefore) known.set(userId, true)
    return isHere
  }

  async function readReach(senderId: string, recipientId: string): Promise<Reach> {
    const [account, block] = [accountKey(recipientId), `block:${recipientId}:${senderId}`]
    const found = await database.read([account, block])
    if (!isAccount(found.get(account))) {
      return (await isContact(senderId, recipientId)) ? 'channel' : 'unknown_person'
    }
    return found.has(block) ? 'held' : 'delivered'
  }

  async function readBlocks(userId: string): Promise<Blocks> {
    const kept = blocks.get(userId)
    if (kept) return kept
    const changesBefore = changes.count
    const [blocked, blockedBy] = await Promise.all([
      database.range(idsFrom(`block:${userId}:`)),
      database.range(idsFrom(`blocked-by:${userId}:`)),
    ])
    const read = {
      blocked: new Set((blocked as BlockDocument[]).map(({ otherId }) => otherId)),
      blockedBy: new Set((blockedBy as BlockDocument[]).map(({ otherId }) => otherId)),
    }
    if (changes.count === changesBefore) blocks.set(userId, read)
    return read
  }

  function tellChanged(userIds: readonly string[]) {
    changes.count += 1
    for (const userId of userIds) blocks.delete(userId)
    reaches.clear()
    for (const listener of listeners) listener(userIds)
  }

  return {
    isKnown,
    readBlocks,

    /** How far a message from one person reaches the other. */
    async canReach(senderId: string, recipientId: string): Promise<Reach> {
      const pair = `${senderId} ${recipientId}`
      const kept = reaches.get(pair)
      if (kept) return kept
      const changesBefore = changes.count
      const reach = await readReach(senderId, recipientId)
      if (reach !== 'unknown_person' && changes.count === changesBefore) reaches.set(pair, reach)
      return reach
    },

    /** Does either of them block the other? Then neither sees the other's presence. */
    async areApart(oneId: string, otherId: string): Promise<boolean> {
      const { blocked, blockedBy } = await readBlocks(oneId)
      return blocked.has(otherId) || blockedBy.has(otherId)
    },

    async setBlocked(userId: string, otherId: string, isBlocked: boolean): Promise<void> {
      const pair = [
        { _id: `block:${userId}:${otherId}`, userId, otherId },
        { _id: `blocked-by:${otherId}:${userId}`, userId: otherId, otherId: userId },
      ] as const
      const ids = pair.map(({ _id }) => _id)
      await database.update(ids, (stored) => ({
        put: pair
          .filter(({ _id }) => stored.has(_id) !== isBlocked)
          .map((half) => ({
            ...half,
            blockedAt: now(),
            ...(isBlocked ? {} : { _deleted: true as const }),
          })),
        result: undefined,
      }))
      tellChanged([userId, otherId])
    },

    /** The people this person blocks, and since when: epoch ms. */
    async listBlocked(userId: string): Promise<{ otherId: string; blockedAt: number }[]> {
      const found = (await database.range(idsFrom(`block:${userId}:`))) as BlockDocument[]
      return found.map(({ otherId, blockedAt }) => ({ otherId, blockedAt }))
    },

    /** Deletes all relations of a departed person. */
    async forget(userId: string): Promise<void> {
      known.delete(userId)
      reaches.clear()
      const own = await Promise.all([
        database.range(idsFrom(`block:${userId}:`)),
        database.range(idsFrom(`blocked-by:${userId}:`)),
      ])
      const others = (own.flat() as BlockDocument[]).map(({ otherId }) => otherId)
      const ids = others.flatMap((otherId) => [
        `block:${userId}:${otherId}`,
        `block:${otherId}:${userId}`,
        `blocked-by:${userId}:${otherId}`,
        `blocked-by:${otherId}:${userId}`,
      ])
      await database.update(ids, (stored) => ({
        put: ([...stored.values()] as BlockDocument[]).map((block) => ({
          ...block,
          _deleted: true as const,
        })),
        result: undefined,
      }))
      tellChanged([userId, ...others])
    },

    /** Handles another server's change to these people's blocks. */
    handleChanged: tellChanged,

    /**
     * Calls back with both people when one starts or stops blocking. @returns a function that stops
     * it
     */
    onChanged(listener: (userIds: readonly string[]) => void): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
