import type { Storage } from '../storage/storage.ts'
import { migrations } from './migrations.ts'

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
