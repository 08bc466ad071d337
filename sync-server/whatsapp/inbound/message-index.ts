import type { StoredDatabase } from '../../storage/stored-database.ts'
import { type StatusItem, statusesWaitMs } from './webhook-items.ts'

/** The message of a wamid, and its owner. */
export interface IndexedMessage {
  ownerId: string
  messageId: string
  attempt: number
}

type IndexDocument =
  | (IndexedMessage & { _id: `wamid:${string}`; _deleted?: true })
  | { _id: `parked:${string}`; parkedAt: number; item: StatusItem; _deleted?: true }
export type MessageIndexDocument = IndexDocument

export type MessageIndex = ReturnType<typeof createMessageIndex>

const nameEntry = (phoneNumberId: string, wamid: string) =>
  `wamid:${phoneNumberId}:${wamid}` as const
const nameParked = (phoneNumberId: string, wamid: string) => `parked:${phoneNumberId}:${wamid}:`

/**
 * Finds our messages by the provider's ids, and parks statuses that arrive before their message's
 * id.
 * @param now epoch ms
 */
export function createMessageIndex(options: {
  database: StoredDatabase<MessageIndexDocument>
  now: () => number
}) {
  const { database, now } = options
  return {
    async find(phoneNumberId: string, wamid: string): Promise<IndexedMessage | undefined> {
      const key = nameEntry(phoneNumberId, wamid)
      const found = (await database.read([key])).get(key)
      return found && 'messageId' in found ? found : undefined
    },

    async put(phoneNumberId: string, wamid: string, message: IndexedMessage): Promise<void> {
      await database.insert({ _id: nameEntry(phoneNumberId, wamid), ...message })
    },

    /** Stores a status that arrives before its message is known. */
    async park(item: StatusItem): Promise<void> {
      const { phoneNumberId, wamid, status, at } = item
      const _id = `${nameParked(phoneNumberId, wamid)}${status}:${at}` as const
      await database.insert({ _id: _id as `parked:${string}`, parkedAt: now(), item })
    },

    /** Passes on a wamid's parked statuses, each stored until accepted. */
    async takeParked(
      phoneNumberId: string,
      wamid: string,
      take: (item: StatusItem) => Promise<void>,
    ): Promise<void> {
      const startkey = nameParked(phoneNumberId, wamid)
      const found = await database.range({ startkey, endkey: `${startkey}\uffff` })
      for (const one of found) if ('item' in one) await take(one.item)
      await remove(found.map(({ _id }) => _id))
    },

    /** Deletes parked statuses that nobody requested in time. */
    async expireParked(): Promise<void> {
      const found = await database.range({ startkey: 'parked:', endkey: 'parked:\uffff' })
      const old = found.filter((one) => 'item' in one && one.parkedAt < now() - statusesWaitMs)
      await remove(old.map(({ _id }) => _id))
    },
  }

  async function remove(ids: readonly string[]) {
    if (ids.length === 0) return
    await database.update(ids, (stored) => ({
      put: [...stored.values()].map((one) => ({ ...one, _deleted: true as const })),
      result: undefined,
    }))
  }
}
