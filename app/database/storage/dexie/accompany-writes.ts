import type { DBCore, DBCoreMutateRequest, DBCoreTable, Dexie } from 'dexie'

/**
 * RxDB creates this table for attachments, which no collection has, and writes it in the documents'
 * transaction.
 */
export const noteTable = 'attachments'

/**
 * Given documents about to be written, lists the notes to put and delete in the same transaction.
 */
export type Accompany<T> = (written: readonly T[]) => {
  values?: readonly { id: string }[]
  keys?: readonly string[]
}

/**
 * Writes notes in the same transaction as their documents: if the notes fail, nothing is stored.
 */
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
  return (request: DBCoreMutateRequest) => {
    const { type, trans } = request
    const { values = [], keys = [] } =
      type === 'put' || type === 'add' ? accompany(request.values as T[]) : {}
    const writes = [
      ...(values.length > 0 ? [{ type: 'put' as const, trans, values }] : []),
      ...(keys.length > 0 ? [{ type: 'delete' as const, trans, keys: [...keys] }] : []),
    ]
    // Issued together: IndexedDB keeps the order, and one failure aborts the whole transaction.
    const noting = writes.map((write) => notes.mutate(write))
    const written = documents.mutate(request)
    // Uses only Dexie's own promises: they carry the transaction, and an `await` may lose it.
    return noting.reduce(
      (before, each) =>
        before.then((result) =>
          each.then(({ failures }) => {
            for (const failure of Object.values(failures)) throw failure
            return result
          }),
        ),
      written,
    )
  }
}
