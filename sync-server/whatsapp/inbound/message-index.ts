import { idsFrom } from '../../storage/documents/documents.ts'
import type { StoredDatabase } from '../../storage/stored-database.ts'
import { type StatusItem, statusesWaitMs } from './webhook-items.ts'

/** The message of a wamid, and its owner. */
export interface IndexedMessage {
  ownerId: string
  messageId: string
  attempt: number
}

/** An edit or a withdrawal that came before its message; times are epoch ms. */
export interface EarlyChange {
  revokedAt?: number
  edit?: { at: number; content: string }
}

type IndexDocument =
  | (IndexedMessage & { _id: `wamid:${string}`; _deleted?: true })
  | { _id: `parked:${string}`; parkedAt: number; item: StatusItem; _deleted?: true }
  | { _id: `early:${string}`; parkedAt: number; early: EarlyChange; _deleted?: true }
export type MessageIndexDocument = IndexDocument

export type MessageIndex = ReturnType<typeof createMessageIndex>

const entryKey = (phoneNumberId: string, wamid: string) =>
  `wamid:${phoneNumberId}:${wamid}` as const
const parkedKey = (phoneNumberId: string, wamid: string) => `parked:${phoneNumberId}:${wamid}:`

interface Authored {
  phoneNumberId: string
  wamid: string
  /** Only they change their message. */
  authorId: string
}
const earlyKey = ({ phoneNumberId, wamid, authorId }: Authored) =>
  `early:${phoneNumberId}:${wamid}:${authorId}` as const
/** As long as Meta tries to bring a webhook. */
const messagesWaitMs = 7 * 24 * 60 * 60_000

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
      const key = entryKey(phoneNumberId, wamid)
      const found = (await database.read([key])).get(key)
      return found && 'messageId' in found ? found : undefined
    },

    async put(phoneNumberId: string, wamid: string, message: IndexedMessage): Promise<void> {
      await database.insert({ _id: entryKey(phoneNumberId, wamid), ...message })
    },

    /** Stores a status that arrives before its message is known. */
    async park(item: StatusItem): Promise<void> {
      const { phoneNumberId, wamid, status, at } = item
      const _id = `${parkedKey(phoneNumberId, wamid)}${status}:${at}` as const
      await database.insert({ _id: _id as `parked:${string}`, parkedAt: now(), item })
    },

    /** Passes on a wamid's parked statuses, each stored until accepted. */
    async takeParked(
      phoneNumberId: string,
      wamid: string,
      take: (item: StatusItem) => Promise<void>,
    ): Promise<void> {
      const startkey = parkedKey(phoneNumberId, wamid)
      const found = await database.range(idsFrom(startkey))
      for (const one of found) if ('item' in one) await take(one.item)
      await remove(found.map(({ _id }) => _id))
    },

    /** Stores a change of a message that has yet to come. */
    async parkEarly(message: Authored, change: EarlyChange): Promise<void> {
      const _id = earlyKey(message)
      await database.update([_id], (stored) => {
        const before = stored.get(_id)
        const early = before && 'early' in before ? before.early : {}
        const edits = [early.edit, change.edit].filter((one) => one !== undefined)
        const [edit] = edits.toSorted((a, b) => b.at - a.at)
        const revokedAt = early.revokedAt ?? change.revokedAt
        const next = { ...(edit && { edit }), ...(revokedAt !== undefined && { revokedAt }) }
        return { put: [{ _id, parkedAt: now(), early: next }], result: undefined }
      })
    },

    /** What became of a message before it came. */
    async findEarly(message: Authored): Promise<EarlyChange | undefined> {
      const _id = earlyKey(message)
      const found = (await database.read([_id])).get(_id)
      return found && 'early' in found ? found.early : undefined
    },

    /** Deletes what was parked and nobody requested in time. */
    async expireParked(): Promise<void> {
      for (const [prefix, waitMs] of [
        ['parked:', statusesWaitMs],
        ['early:', messagesWaitMs],
      ] as const) {
        const found = await database.range(idsFrom(prefix))
        const old = found.filter((one) => 'parkedAt' in one && one.parkedAt < now() - waitMs)
        await remove(old.map(({ _id }) => _id))
      }
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
