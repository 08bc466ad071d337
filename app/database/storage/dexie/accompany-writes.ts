import type { DBCore, DBCoreMutateRequest, DBCoreTable, Dexie } from 'dexie'

/** RxDB makes this table for attachments, which no collection has, and writes it together with the documents. */
export const noteTable = 'attachments'

/** Says for documents that are about to be written which notes are put and which are deleted in the same transaction. */
export type Accompany<T> = (written: readonly T[]) => {
  values?: readonly { id: string }[]
  keys?: readonly string[]
}

/** Lets notes be written in the very transaction that writes documents: when they can't be, nothing is stored. */
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
    // Asked for at once: IndexedDB keeps the order, and one that fails ends the transaction of all.
    const noting = writes.map((write) => notes.mutate(write))
    const written = documents.mutate(request)
    // By Dexie's own promises alone: it knows its transaction by them, and after an `await` it may be lost.
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
