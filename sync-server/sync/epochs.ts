import { randomUUID } from 'node:crypto'
import * as z from 'zod/mini'
import { must } from '../../schema/helpers/assertions.ts'
import type { LostSpan } from '../../schema/message.ts'
import type { ServerLink } from '../cluster/server-link.ts'
import { type OrderEntry, parseOrderEntry } from '../messages/copies/order-entry.ts'
import { ordersDatabase } from '../messages/copies/order-journal.ts'
import {
  nameConversationsDatabase,
  nameMessagesDatabase,
} from '../storage/documents/database-names.ts'
import type { Storage } from '../storage/storage.ts'

/** The installation's epoch, and one for each person whose databases were behind their reader. */
interface EpochDocument {
  /** `installation`, or a person's id. */
  _id: string
  epoch: string
  /** The names of the installation's restores. */
  restores?: string[]
  lost?: LostSpan[]
}

const installationId = 'installation'
const spansKept = 20
const entriesLookedAt = 500
const reloadEveryMs = 30_000
/** Eight weeks after a restore: later devices return nothing to its old place. */
const spanCountsMs = 8 * 7 * 86_400_000

/** Whose epoch was raised or deleted; null for everybody's. */
const raisedEpoch = z.nullable(z.string())

/**
 * The epoch in which a person's databases count changes. Changes for everybody after a restore, and
 * for one person when their own device had read further than their database: so nobody can make
 * others begin again.
 * @param restored the names of restores; a new one raises the installation's epoch
 * @param link to other servers on the same CouchDB; without it each looks every 30 s
 * @param now epoch ms
 * @param onRestored called with what a restore lost
 */
export async function createEpochs(options: {
  storage: Storage
  restored?: string | readonly string[] | undefined
  isShared?: boolean
  link?: Pick<ServerLink, 'isUp' | 'publish' | 'listen' | 'onTurn'> | undefined
  now?: () => number
  onRestored?: (lost: LostSpan) => void
  onError: (error: unknown) => void
}) {
  const { storage, restored, isShared = false, link, now = Date.now, onError } = options
  const { onRestored = () => undefined } = options
  const database = storage.database<EpochDocument>('epochs')
  const known = new Map<string, EpochDocument>()

  /** In sequence: a read from before a raise must not overwrite its result. */
  const turn = { last: Promise.resolve() }
  function inTurn(work: () => Promise<void>): Promise<void> {
    const done = turn.last.then(work)
    turn.last = done.catch(() => undefined)
    return done
  }

  async function begin() {
    const names = [restored ?? []].flat()
    const span = names.length === 0 ? undefined : await measureLoss()
    const fresh = randomUUID()
    const { result } = await database.update<LostSpan | undefined>([installationId], (stored) => {
      const before = stored.get(installationId)
      const heard = before?.restores ?? []
      const news = names.filter((name) => !heard.includes(name))
      const isNews = span !== undefined && news.length > 0
      if (before && !isNews) return { result: undefined }
      const lost = [...(before?.lost ?? []), ...(isNews ? [span] : [])].slice(-spansKept)
      const restores = [...heard, ...news]
      const next = { _id: installationId, epoch: fresh, restores, lost }
      return { put: [next], result: isNews ? span : undefined }
    })
    await reload()
    if (result) onRestored(result)
    link?.publish('epoch-raised', null)
  }

  /** From the newest stored message until now. */
  async function measureLoss(): Promise<LostSpan> {
    const orders = storage.database<OrderEntry>(ordersDatabase)
    const newest = { descending: true, limit: entriesLookedAt, includeDocs: true }
    const { results } = await orders.changes(newest)
    const places = results.flatMap(({ doc }) => (doc && parseOrderEntry(doc)?.orderedAt) ?? [])
    const upTo = now()
    // If nothing says how far it goes, assume no loss.
    const unknown = results.length === 0 ? 0 : upTo
    return { after: Math.min(places.length === 0 ? unknown : Math.max(...places), upTo), upTo }
  }

  async function reload() {
    const stored = await database.range({})
    known.clear()
    for (const document of stored) known.set(document._id, document)
  }

  async function reloadOne(userId: string) {
    const document = (await database.read([userId])).get(userId)
    if (document) known.set(userId, document)
    else known.delete(userId)
  }

  const hearing = () => void inTurn(reload).catch(onError)
  const stopListening = [
    link?.listen('epoch-raised', (data) => {
      const userId = raisedEpoch.parse(data)
      if (userId === null) hearing()
      else inTurn(() => reloadOne(userId)).catch(onError)
    }),
    link?.onTurn((isUp) => {
      if (isUp) hearing()
    }),
  ]
  const looking = isShared
    ? setInterval(() => {
        if (!link?.isUp()) hearing()
      }, reloadEveryMs).unref()
    : undefined

  const readInstallation = () => must(known.get(installationId), 'the epoch of the installation')

  function epochOf(userId: string): string {
    const { epoch } = readInstallation()
    const own = known.get(userId)?.epoch
    return own === undefined ? epoch : `${epoch}.${own}`
  }

  async function raise(userId: string, told: string | undefined) {
    if (told === undefined || told !== epochOf(userId)) return
    const seen = known.get(userId)?.epoch
    const upTo = now()
    // Their own claim does not prove that others' messages are lost: a reader may return none for
    // it.
    const raised = { _id: userId, epoch: randomUUID(), lost: [{ after: upTo, upTo }] }
    const { result } = await database.update<EpochDocument | undefined>([userId], (stored) => {
      const before = stored.get(userId)
      return before?.epoch === seen ? { put: [raised], result: raised } : { result: before }
    })
    // They left since, and another server learned of it first.
    if (!result) return void known.delete(userId)
    known.set(userId, result)
    // Their other devices wait for news, and this is some. No database gives such a seq: waiting
    // readers look.
    for (const name of [nameMessagesDatabase(userId), nameConversationsDatabase(userId)]) {
      storage.signals.notify(name, `epoch ${result.epoch}`)
    }
    link?.publish('epoch-raised', userId)
  }

  async function forget(userId: string) {
    const put = [{ _id: userId, epoch: '', _deleted: true }]
    await database.update([userId], () => ({ put, result: undefined }))
    known.delete(userId)
    link?.publish('epoch-raised', userId)
  }

  await inTurn(begin)

  return {
    /** The installation's, for anything beyond a single database. */
    installation: () => readInstallation().epoch,
    /** The epoch of a person's databases. */
    of: epochOf,
    /** What a person's databases have lost in the last weeks. */
    listLost(userId: string): readonly LostSpan[] {
      const spans = [readInstallation().lost ?? [], known.get(userId)?.lost ?? []].flat()
      return spans.filter(({ upTo }) => upTo > now() - spanCountsMs)
    },
    /**
     * A person's device is ahead of their database in the current epoch (or without one): data was
     * lost.
     * @param told the device's known epoch; with another one it begins again anyway
     */
    raise: (userId: string, told: string | undefined): Promise<void> =>
      inTurn(() => raise(userId, told)),
    /** Deletes a departing person's epoch. */
    forget: (userId: string): Promise<void> => inTurn(() => forget(userId)),
    close() {
      clearInterval(looking)
      for (const stop of stopListening) stop?.()
    },
  }
}

/**
 * Raises the installation's epoch where no server runs: its sequence numbers are about to begin
 * again, and nothing is lost.
 */
export async function raiseInstallation(storage: Storage): Promise<void> {
  const database = storage.database<EpochDocument>('epochs')
  const epoch = randomUUID()
  await database.update([installationId], (stored) => {
    const before = stored.get(installationId)
    return { put: [{ ...before, _id: installationId, epoch }], result: undefined }
  })
}

export type Epochs = Awaited<ReturnType<typeof createEpochs>>
