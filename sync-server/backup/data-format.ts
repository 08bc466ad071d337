import { hintsDatabase } from '../messages/copies/hints.ts'
import type { Storage } from '../storage/storage.ts'

/** Each brings data to the format of its number; whatever has none is in format 1. */
const migrations: ReadonlyMap<number, Migration> = new Map([
  [
    2,
    async (storage) => {
      await listRestores(storage)
      await separateMarks(storage)
    },
  ],
])

const hintsAtOnce = 500

/** The format in which this version stores data. */
export const dataFormat = Math.max(...migrations.keys())

/** Before there were numbers. */
const firstFormat = 1

/** Beside the data, so that a backup has it too. */
interface FormatDocument {
  _id: 'data'
  format: number
}

/** Of moves, too: no older version starts without having read it. */
export const fencesDatabase = 'formats'

/** Keeps servers from a place that data are moved from (`leaving`) or to (`arriving`). */
export interface Fence {
  _id: 'leaving' | 'arriving'
  /** The same in both places. */
  move: string
  /** The other place, in words. */
  place: string
  /** `stays`: the move was cancelled, and may go on later. */
  state: 'moving' | 'moved' | 'stays'
  /** Has the old place told devices to begin again? */
  isRaised?: boolean
  /** Epoch ms. */
  at: number
}

export const isFence = (id: string): id is Fence['_id'] => id === 'leaving' || id === 'arriving'

/** Words for whoever starts a server where no data are any more. */
export function tellMoved({ place, at }: Fence): string {
  return `These data were moved to ${place} on ${new Date(at).toISOString()}, and what came since is there. Use that place; or go back to what is here with \`petrel move --cancel\`.`
}

/** The data are here in part, or no more: a server here would lose what is in the other place. */
export class DataMoved extends Error {
  override name = 'DataMoved'
}

/** The data are of a later version: starting on them could damage what this one does not know. */
export class NewerData extends Error {
  override name = 'NewerData'
}

/**
 * Brings the data to this version's format, before anything else reads them. Killed anywhere, the
 * next start goes on: the number is written last.
 * @param onMigrated called after a migration; not for data that are new
 * @throws NewerData, DataMoved with words for the operator
 */
export async function migrateData(options: {
  storage: Storage
  onMigrated: (formats: { from: number; to: number }) => void
}): Promise<void> {
  const { storage, onMigrated } = options
  const database = storage.database<FormatDocument | Fence>(fencesDatabase)

  /** Never lower: another server may be ahead. */
  async function setFormat(format: number) {
    await database.update(['data'], (stored) => {
      const isHigher = format > (formatOf(stored) ?? 0)
      return { ...(isHigher && { put: [{ _id: 'data', format }] }), result: undefined }
    })
  }

  const found = await database.read(['data', 'leaving', 'arriving'])
  for (const document of found.values()) refuseFence(document)
  const stored = formatOf(found)
  if (stored === undefined && (await isFresh(storage))) return await setFormat(dataFormat)
  const from = stored ?? firstFormat
  if (from > dataFormat) {
    throw new NewerData(
      `These data were written by a newer Petrel (format ${from}; this one knows ${dataFormat}). Start that version, or restore a backup.`,
    )
  }
  if (from === dataFormat) return
  for (let next = from + 1; next <= dataFormat; next += 1) {
    await migrations.get(next)?.(storage)
    await setFormat(next)
  }
  onMigrated({ from, to: dataFormat })
}

function formatOf(found: ReadonlyMap<string, FormatDocument | Fence>): number | undefined {
  const data = found.get('data')
  return data && 'format' in data ? data.format : undefined
}

function refuseFence(document: FormatDocument | Fence) {
  if (!('state' in document) || document.state === 'stays') return
  if (document._id === 'leaving' && document.state === 'moved') {
    throw new DataMoved(tellMoved(document))
  }
  const { _id, place } = document
  const words =
    _id === 'leaving'
      ? `These data are being moved to ${place}. Run \`petrel move\` again: it goes on where it was. Or stay here with \`petrel move --cancel\`.`
      : `Only a part of the data is here: they are being moved from ${place}. Run \`petrel move\` again with the settings of that place: it goes on where it was.`
  throw new DataMoved(words)
}

/** Every version has begun with one of these. */
async function isFresh(storage: Storage): Promise<boolean> {
  const found = await Promise.all(
    ['accounts', 'epochs'].map((name) => storage.database(name).range({ limit: 1 })),
  )
  return found.every((documents) => documents.length === 0)
}

/** Brings data to the next format; repeated after a crash, so it changes only what is not there. */
type Migration = (storage: Storage) => Promise<void>

interface EarlierEpoch {
  _id: string
  /** The name of the last restore, from before there was a list. */
  restored?: string
  restores?: string[]
}

async function listRestores(storage: Storage) {
  await storage.database<EarlierEpoch>('epochs').update(['installation'], (stored) => {
    const before = stored.get('installation')
    if (before?.restored === undefined) return { result: undefined }
    const { restored, ...installation } = before
    const restores = [...new Set([restored, ...(installation.restores ?? [])])]
    return { put: [{ ...installation, restores }], result: undefined }
  })
}

interface EarlierHint {
  _id: string
  /** The reader's two marks, from before each was a field of the hint. */
  marks?: { deliveredUpTo: number; readUpTo: number }
}

async function separateMarks(storage: Storage) {
  const database = storage.database<EarlierHint>(hintsDatabase)
  let page = {}
  for (;;) {
    const hints = await database.range({ ...page, limit: hintsAtOnce })
    const ids = hints.flatMap(({ _id, marks }) => (marks ? _id : []))
    if (ids.length > 0) {
      await database.update(ids, (stored) => {
        const put = [...stored.values()].map(({ marks, ...hint }) => ({ ...hint, ...marks }))
        return { put, result: undefined }
      })
    }
    const last = hints.at(-1)
    if (!last) return
    page = { startkey: `${last._id}\uffff` }
  }
}
