import { hintsDatabase } from '../messages/copies/hints.ts'
import type { Storage } from '../storage/storage.ts'

/** Brings data to the next format; repeated after a crash, so it changes only what is not there. */
export type Migration = (storage: Storage) => Promise<void>

/** Each brings data to the format of its number; whatever has none is in format 1. */
export const migrations: ReadonlyMap<number, Migration> = new Map([
  [
    2,
    async (storage) => {
      await listRestores(storage)
      await separateMarks(storage)
    },
  ],
])

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

const hintsAtOnce = 500

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
