import { randomUUID } from 'node:crypto'
import type { LostSpan } from '../../schema/lost-span.ts'
import { must } from '../../schema/must.ts'
import type { ServerLink } from '../cluster/server-link.ts'
import { type OrderEntry, parseOrderEntry } from '../messages/order-entry.ts'
import { ordersDatabase } from '../messages/order-journal.ts'
import type { Storage } from '../storage/create-storage.ts'

/** The one of the installation, and one for each database that was seen to be behind its reader. */
interface EpochDocument {
  /** `installation`, or the name of a database. */
  _id: string
  epoch: string
  /** What the last restore was called. */
  restored?: string
  lost?: LostSpan[]
}

const installationId = 'installation'
const spansKept = 20
const entriesLookedAt = 500
const reloadEveryMs = 30_000

/**
 * In which epoch each database counts its changes. It is another one after a backup was put back, for everybody, and
 * after somebody's database was found to be behind what its own device had read, for that person alone: so nobody can
 * make others begin again.
 * @param restored what a restore is called; one that was not heard of before raises the installation's epoch
 * @param link how other servers on the same CouchDB hear of it; without it each looks every 30 s
 * @param now epoch ms
 * @param onRestored told what a restore has lost
 */
export async function createEpochs(options: {
  storage: Storage
  restored?: string | undefined
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

  async function begin() {
    const span = restored === undefined ? undefined : await measureLoss()
    const fresh = randomUUID()
    const { result } = await database.update<LostSpan | undefined>([installationId], (stored) => {
      const before = stored.get(installationId)
      const isNews = span !== undefined && before?.restored !== restored
      if (before && !isNews) return { result: undefined }
      const lost = [...(before?.lost ?? []), ...(isNews ? [span] : [])].slice(-spansKept)
      const named = restored === undefined ? {} : { restored }
      const next = { _id: installationId, epoch: fresh, ...named, lost }
      return { put: [next], result: isNews ? span : undefined }
    })
    await reload()
    if (result) onRestored(result)
    link?.publish('epoch-raised', null)
  }

  /** From the newest message that is there until now. */
  async function measureLoss(): Promise<LostSpan> {
    const orders = storage.database<OrderEntry>(ordersDatabase)
    const newest = { descending: true, limit: entriesLookedAt, includeDocs: true }
    const { results } = await orders.changes(newest)
    const places = results.flatMap(({ doc }) => (doc && parseOrderEntry(doc)?.orderedAt) ?? [])
    const upTo = now()
    // Where nothing says how far it goes, nothing is believed to be lost.
    const unknown = results.length === 0 ? 0 : upTo
    return { after: Math.min(places.length === 0 ? unknown : Math.max(...places), upTo), upTo }
  }

  async function reload() {
    const stored = await database.range({})
    known.clear()
    for (const document of stored) known.set(document._id, document)
  }

  const hearing = () => void reload().catch(onError)
  const stopListening = [
    link?.listen('epoch-raised', hearing),
    link?.onTurn((isUp) => {
      if (isUp) hearing()
    }),
  ]
  const looking = isShared
    ? setInterval(() => {
        if (!link?.isUp()) hearing()
      }, reloadEveryMs).unref()
    : undefined

  function epochOf(name: string): string {
    const { epoch } = must(known.get(installationId), 'the epoch of the installation')
    const own = known.get(name)?.epoch
    return own === undefined ? epoch : `${epoch}.${own}`
  }

  await begin()

  return {
    /** The installation's, for what is not about one database. */
    installation: () => epochOf(installationId).split('.')[0] ?? '',
    /** In which epoch a database counts. */
    of: epochOf,
    /** What restores have lost. */
    listLost: (): readonly LostSpan[] => known.get(installationId)?.lost ?? [],
    /**
     * A reader of this database stands ahead of it, and knows of no other epoch than the present one: what was written
     * there is gone. Raises the epoch of this database.
     * @param told the epoch that the reader knows; others have been told to begin again already
     */
    async raise(name: string, told: string | undefined): Promise<void> {
      if (told === undefined || told !== epochOf(name)) return
      const seen = known.get(name)?.epoch
      const raised: EpochDocument = { _id: name, epoch: randomUUID() }
      const { result } = await database.update<EpochDocument>([name], (stored) => {
        const before = stored.get(name)
        return before?.epoch === seen
          ? { put: [raised], result: raised }
          : { result: must(before, 'an epoch that another server has raised') }
      })
      known.set(name, result)
      link?.publish('epoch-raised', null)
    },
    close() {
      clearInterval(looking)
      for (const stop of stopListening) stop?.()
    },
  }
}

export type Epochs = Awaited<ReturnType<typeof createEpochs>>
