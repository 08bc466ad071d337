import type { DBCore, DBCoreGetManyRequest, DBCoreTable, Dexie } from 'dexie'

/** `DBCoreRangeType.Range`; Dexie exports it as a type only. */
const rangeType = 2
/** Fewer are as quickly read one by one. */
const leastKeys = 8
/** With more neighbours than this for each key, looking at them costs more than it saves. */
const neighboursPerKey = 2

/**
 * IndexedDB takes a request and an event of the page for each document that is read by its id, also for one
 * that is not there. Replication asks so four times for each message that arrives. Ids are made from the time,
 * so what arrives together lies together: one look at the ids between the first and the last tells which are
 * there, and only those are read. Falls back to Dexie's own way where the ids are spread.
 */
export function readManyByRange(dexie: Dexie): void {
  dexie.use({
    stack: 'dbcore',
    name: 'readManyByRange',
    create: (core: DBCore) => ({
      ...core,
      table(name: string) {
        const table = core.table(name)
        return { ...table, getMany: createGetMany(table) }
      },
    }),
  })
}

function createGetMany(table: DBCoreTable): DBCoreTable['getMany'] {
  return (request) => {
    const range = findRange(request.keys)
    return range ? readRange(range, request) : table.getMany(request)
  }

  async function readRange(range: KeyRange, request: DBCoreGetManyRequest): Promise<unknown[]> {
    const { keys, trans } = request
    const limit = keys.length * neighboursPerKey + 1
    const { result } = await table.query({
      trans,
      values: false,
      limit,
      query: { index: table.schema.primaryKey, range: { type: rangeType, ...range } },
    })
    if (result.length >= limit) return table.getMany(request)
    const stored = new Set<unknown>(result)
    const there = keys.filter((key) => stored.has(key))
    if (there.length === 0) return keys.map(() => undefined)
    const found = await table.getMany({ ...request, keys: there })
    const values = new Map<unknown, unknown>(there.map((key, at) => [key, found[at]]))
    return keys.map((key) => values.get(key))
  }
}

interface KeyRange {
  lower: string
  upper: string
}

function findRange(keys: readonly unknown[]): KeyRange | undefined {
  const [first] = keys
  if (keys.length < leastKeys || typeof first !== 'string') return undefined
  const range = { lower: first, upper: first }
  for (const key of keys) {
    if (typeof key !== 'string') return undefined
    if (key < range.lower) range.lower = key
    if (key > range.upper) range.upper = key
  }
  return range
}
