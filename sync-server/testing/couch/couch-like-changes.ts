import { createHash } from 'node:crypto'
import { packSeqs, type ShardSeqs } from './couch-like-seqs.ts'

/** A row of pouchdb-server's `_changes`. */
export interface PlainChange {
  id: string
  seq: number
}

/**
 * `_changes` of a CouchDB with several shards: each shard's rows in order, interleaved freely, each
 * row with the places that all shards have reached.
 * @param rows all since the lowest place of any shard, in order
 * @param newest the database's place
 * @param since the place of each shard so far
 */
export function spreadChanges<Row extends PlainChange>(options: {
  rows: readonly Row[]
  newest: number
  since: ShardSeqs
  limit: number
}) {
  const { rows, newest, since, limit } = options
  const { history } = since
  const count = since.shards.length
  const reached = [...since.shards]
  const left = reached.map((place, shard) =>
    rows.filter(({ id, seq }) => shardOf(id, count) === shard && seq > place),
  )
  const results: (Omit<Row, 'seq'> & { seq: string })[] = []
  while (results.length < limit && left.some((ofShard) => ofShard.length > 0)) {
    const shard = Math.floor(Math.random() * count)
    const row = left[shard]?.shift()
    if (!row) continue
    reached[shard] = row.seq
    results.push({ ...row, seq: packSeqs({ history, shards: reached }) })
  }
  const pending = left.reduce((sum, ofShard) => sum + ofShard.length, 0)
  const shards = reached.map((place, shard) => (left[shard]?.length === 0 ? newest : place))
  return { results, last_seq: packSeqs({ history, shards }), pending }
}

function shardOf(id: string, count: number): number {
  return createHash('md5').update(id).digest().readUInt32BE() % count
}
