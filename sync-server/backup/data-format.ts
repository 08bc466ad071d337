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

/** The data are of a later version: starting on them could damage what this one does not know. */
export class NewerData extends Error {
  override name = 'NewerData'
}

/**
 * Brings the data to this version's format, before anything else reads them. Killed anywhere, the
 * next start goes on: the number is written last.
 * @param onMigrated called after a migration; not for data that are new
 * @throws NewerData with words for the operator
 */
export async function migrateData(options: {
  storage: Storage
  onMigrated: (formats: { from: number; to: number }) => void
}): Promise<void> {
  const { storage, onMigrated } = options
  const database = storage.database<FormatDocument>('formats')

  /** Never lower: another server may be ahead. */
  async function setFormat(format: number) {
    await database.update(['data'], (stored) => {
      const isHigher = format > (stored.get('data')?.format ?? 0)
      return { ...(isHigher && { put: [{ _id: 'data', format }] }), result: undefined }
    })
  }

  const stored = (await database.read(['data'])).get('data')?.format
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
