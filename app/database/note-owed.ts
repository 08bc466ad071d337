import type { DBCore, DBCoreMutateRequest, DBCoreTable, Dexie } from 'dexie'

/** RxDB makes this table for attachments, which no collection has, and writes it together with the documents. */
export const noteTable = 'attachments'
export const owedPrefix = 'owed|'
/** Set when a database is made: whatever was noted of an earlier one of its name is not of this one. */
export const madeHereMark = 'mark|made'

interface Written {
  _id: string
  _rev: string
  /** What replication notes on a version that came from the server: the height of its revision. */
  _meta: { o?: { _rev: number } }
}

/**
 * Notes in the very transaction that stores a document that its version is not the server's. So what is owed can be
 * read from what is stored, whichever tab wrote it, whatever its clock said, and whenever it died.
 */
export function noteOwed(dexie: Dexie): void {
  dexie.use({
    stack: 'dbcore',
    name: 'noteOwed',
    create: (core: DBCore) => ({
      ...core,
      table(name: string) {
        const table = core.table(name)
        if (name !== 'docs') return table
        return { ...table, mutate: createMutate(table, core.table(noteTable)) }
      },
    }),
  })
  dexie.on('populate', (transaction) => {
    void transaction.table(noteTable).put({ id: madeHereMark })
  })
}

function createMutate(documents: DBCoreTable, notes: DBCoreTable): DBCoreTable['mutate'] {
  return async (request: DBCoreMutateRequest) => {
    const isPut = request.type === 'put' || request.type === 'add'
    const values = (isPut ? (request.values as Written[]) : [])
      .filter(isOfThisDevice)
      .map(({ _id }) => ({ id: owedPrefix + _id }))
    if (values.length > 0) {
      const noted = await notes.mutate({ type: 'put', trans: request.trans, values })
      // A note too many costs a look; a document without one might never leave.
      if (noted.numFailures > 0) throw noted.failures[0]
    }
    return await documents.mutate(request)
  }
}

function isOfThisDevice({ _rev, _meta }: Written): boolean {
  return _meta.o?._rev !== Number.parseInt(_rev, 10)
}
