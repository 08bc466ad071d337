import { randomBytes } from 'node:crypto'

const opening = 'g1AAAA'

/** Each shard's place in a database, and the database's history: a recreated one has another. */
export interface ShardSeqs {
  history: string
  shards: readonly number[]
}

/** A place in CouchDB's form: opaque, and spelled differently each time. */
export function packSeqs({ history, shards }: ShardSeqs): string {
  const sum = shards.reduce((all, one) => all + one, 0)
  const spelling = randomBytes(3).toString('hex')
  const packed = Buffer.from(JSON.stringify({ spelling, history, shards })).toString('base64url')
  return `${sum}-${opening}${packed}`
}

/** @returns undefined for anything else */
export function unpackSeqs(text: string): ShardSeqs | undefined {
  const [, packed] = new RegExp(`^"?(?:\\d+-)?${opening}([\\w-]+)"?$`).exec(text) ?? []
  if (packed === undefined) return undefined
  try {
    return JSON.parse(Buffer.from(packed, 'base64url').toString())
  } catch {
    return undefined
  }
}
