import type { DBCore, DBCoreMutateRequest, DBCoreTable, Dexie } from 'dexie'

/** RxDB makes this table for attachments, which no collection has, and writes it together with the documents. */
export const noteTable = 'attachments'

/**
 * Runs before each write of documents, in its transaction: what it writes into `notes` is stored with the documents or
 * not at all. @throws when that fails: then nothing is stored
 */
export type Accompany<T> = (
  written: readonly T[],
  write: (request: {
    values?: readonly { id: string }[]
    keys?: readonly string[]
  }) => Promise<void>,
) => Promise<void>

/** Lets something be written in the very transaction that writes documents. */
export function accompanyWrites<T>(dexie: Dexie, name: string, accompany: Accompany<T>): void {
  dexie.use({
    stack: 'dbcore',
    name,
    create: (core: DBCore) => ({
      ...core,
      table(tableName: string) {
        const table = core.table(tableName)
        if (tableName !== 'docs') return table
        return { ...table, mutate: createMutate(table, core.table(noteTable), accompany) }
      },
    }),
  })
}

function createMutate<T>(
  documents: DBCoreTable,
  notes: DBCoreTable,
  accompany: Accompany<T>,
): DBCoreTable['mutate'] {
  return async (request: DBCoreMutateRequest) => {
    const { type, trans } = request
    const written = type === 'put' || type === 'add' ? (request.values as T[]) : []
    await accompany(written, async ({ values = [], keys = [] }) => {
      if (values.length > 0) {
        const { failures } = await notes.mutate({ type: 'put', trans, values })
        for (const failure of Object.values(failures)) throw failure
      }
      if (keys.length > 0) await notes.mutate({ type: 'delete', trans, keys: [...keys] })
    })
    return await documents.mutate(request)
  }
}
