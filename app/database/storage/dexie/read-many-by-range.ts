import type { DBCore, DBCoreGetManyRequest, DBCoreTable, Dexie } from 'dexie'

/** `DBCoreRangeType.Range`; Dexie exports it as a type only. */
const rangeType = 2
/** Fewer are as fast to read one by one. */
const leastKeys = 8
/** With more neighbours per key than this, scanning them costs more than it saves. */
const neighboursPerKey = 2

/**
 * IndexedDB needs a request and a page event per id, even a missing one; replication reads four
 * times per arriving message. Ids are time-ordered, so arrivals are neighbours: one scan from the
 * first to the last id finds those to read. Dexie's own way handles scattered ids.
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
