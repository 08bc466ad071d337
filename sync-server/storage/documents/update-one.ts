import type { DatabaseHome } from './database-home.ts'
import type { Document } from './documents.ts'
import type { WantedWrites } from './draft-writes.ts'

export interface UpdateOutcome<Result> {
  result: Result
  /** The current revision of each requested document; omits missing ones. */
  revs: ReadonlyMap<string, string>
}

/** A transaction on one database. */
export async function updateOne<Result>(
  home: Pick<DatabaseHome, 'transact'>,
  name: string,
  update: {
    ids: readonly string[]
    decide: (stored: ReadonlyMap<string, Document>) => WantedWrites & { result: Result }
  },
): Promise<UpdateOutcome<Result>> {
  const { ids, decide } = update
  const { result, revs } = await home.transact<Result>({
    parts: [{ name, ids }],
    decide(read) {
      const { result, ...write } = decide(read(name))
      return { writes: [{ name, ...write }], result }
    },
  })
  return { result, revs: revs(name) }
}
