import type { DBCore, DBCoreMutateRequest, DBCoreTable, Dexie } from 'dexie'
import { noteTable } from '../note-owed.ts'

/** A file on this device, by the message that it belongs to. */
export interface KeptFile {
  /** `filePrefix` and the message's id. */
  id: string
  file: Blob
  /** When it came onto this device, epoch ms. */
  at: number
}

export const filePrefix = 'file|'

interface Written {
  _id: string
  deletedAt?: number
}

/** Files whose messages are about to be written, by the message's id. */
const staged = new WeakMap<Dexie, Map<string, KeptFile>>()

/** What waits to be stored together with its message. */
export function listStaged(dexie: Dexie): Map<string, KeptFile> {
  const known = staged.get(dexie) ?? new Map<string, KeptFile>()
  staged.set(dexie, known)
  return known
}

/**
 * Stores a file in the very transaction that stores its message, and takes it away in the one that stores that the
 * message was deleted: no crash and no full disk leaves one without the other (P1, P8).
 */
export function keepFiles(dexie: Dexie): void {
  dexie.use({
    stack: 'dbcore',
    name: 'keepFiles',
    create: (core: DBCore) => ({
      ...core,
      table(name: string) {
        const table = core.table(name)
        if (name !== 'docs') return table
        const files = core.table(noteTable)
        return { ...table, mutate: createMutate(table, files, listStaged(dexie)) }
      },
    }),
  })
}

function createMutate(
  documents: DBCoreTable,
  files: DBCoreTable,
  waiting: ReadonlyMap<string, KeptFile>,
): DBCoreTable['mutate'] {
  return async (request: DBCoreMutateRequest) => {
    const isPut = request.type === 'put' || request.type === 'add'
    const written = isPut ? (request.values as Written[]) : []
    const values = written.flatMap(({ _id }) => waiting.get(_id) ?? [])
    const keys = written
      .filter(({ deletedAt }) => deletedAt !== undefined)
      .map(({ _id }) => filePrefix + _id)
    const { trans } = request
    if (values.length > 0) {
      const { failures } = await files.mutate({ type: 'put', trans, values })
      for (const failure of Object.values(failures)) throw failure
    }
    if (keys.length > 0) await files.mutate({ type: 'delete', trans, keys })
    return await documents.mutate(request)
  }
}
