import { isDatabaseName } from '../documents/database-names.ts'
import { nameRev } from '../documents/grow-branch.ts'
import {
  attachmentsOf,
  byWinner,
  encodeRow,
  isDeleted,
  keyOf,
  type LeafRow,
  rangeOf,
} from './document-rows.ts'
import type { Level, LevelStore, Operation } from './level-store.ts'

/** The keys of PouchDB's LevelDB adapter, in which earlier versions kept a database. */
const old = {
  all: '\xff',
  documents: '\xffdocument-store\xff',
  bodies: '\xffby-sequence\xff',
  bytes: '\xffattach-binary-store\xff',
  locals: '\xfflocal-store\xff',
  lastSeq: '\xffmeta-store\xff_local_last_update_seq',
  count: '\xffmeta-store\xff_local_doc_count',
  tally: '\xfftally',
}

const batchBytes = 1024 * 1024
const documentsAtOnce = 64

/** No database can have these names. */
const layoutKey = '!layout'
const nameMark = (name: string) => `!laid-out/${name}`

/**
 * What an earlier version finds here instead of an empty store, on which it would begin again: a
 * number of the data's format that it does not know.
 */
const guard = new Map<string, string>([
  [
    `formats!${old.documents}data`,
    '{"id":"data","rev":"1-0","rev_map":{"1-0":1},"winningRev":"1-0","deleted":false,"rev_tree":[{"pos":1,"ids":["0",{"status":"available"},[]]}],"seq":1}',
  ],
  [`formats!${old.bodies}0000000000000001`, '{"_id":"data","_rev":"1-0","format":1000}'],
])

/** One database's keys, without its prefix. */
export interface OldDatabase {
  scan(range: { gte: string; lt: string }): AsyncIterable<readonly [string, Buffer]>
  keys(range: { gte: string; lt: string }): AsyncIterable<string>
  read(keys: readonly string[]): Promise<readonly (Buffer | undefined)[]>
}

export interface Converted {
  /** Ids of documents that are left out: unreadable, or with a part missing. */
  broken: string[]
  /** How many documents there are now; and how many there were, where that can be read. */
  count: number
  of: number | undefined
}

/**
 * A database of an earlier version in today's layout: the same documents, revisions and places.
 * @param write gets operations without a prefix; the last ones count what came before
 */
export async function convertDatabase(
  from: OldDatabase,
  write: (operations: readonly Operation[]) => Promise<void>,
): Promise<Converted> {
  const found = { sound: new Set<string>(), broken: new Set<string>(), used: new Set<number>() }
  const numbers = await from.read([old.lastSeq, old.count, old.tally])
  const [lastSeq, of, tally] = numbers.map((bytes) => (bytes ? Number(String(bytes)) : undefined))
  const counters = { seq: lastSeq || 0, count: 0, tally: tally || 0 }
  let batch: Operation[] = []
  let size = 0

  async function add(operations: readonly Operation[]) {
    for (const operation of operations) {
      batch.push(operation)
      size += operation.type === 'put' ? operation.value.length : 0
    }
    if (size < batchBytes) return
    await write(batch)
    batch = []
    size = 0
  }

  for await (const page of inPages(from.scan(rangeFrom(old.documents)))) {
    const trees = page.map(([key, value]) => readTree(key.slice(old.documents.length), value))
    const seqs = trees.flatMap(({ ends }) => ends.flatMap(({ seq }) => seq ?? []))
    const bodies = await readBodies(from, seqs)
    for (const { id, seq, ends } of trees) {
      const leaves = ends.flatMap((end) => toLeafRow(id, end, bodies) ?? []).toSorted(byWinner)
      const winner = ends.toSorted(byWinner)[0]
      const isSound = winner && leaves[0] && nameRev(leaves[0]) === nameRev(winner)
      if (!isSound || seq === undefined) {
        found.broken.add(id)
        continue
      }
      found.sound.add(id)
      for (const end of ends) if (end.seq !== undefined) found.used.add(end.seq)
      counters.seq = Math.max(counters.seq, seq)
      counters.count += Number(!isDeleted(leaves))
      await add([
        { type: 'put', key: keyOf.document(id), value: encodeRow({ seq, leaves }) },
        { type: 'put', key: keyOf.place(seq), value: id },
        ...(await readFiles(from, id, leaves)),
      ])
    }
  }
  for await (const keys of inPages(from.keys(rangeFrom(old.bodies)))) {
    const seqs = keys.map((key) => Number(key.slice(old.bodies.length)))
    // The lost ones may include the last: no number may be given twice.
    counters.seq = Math.max(counters.seq, ...seqs)
    const unused = seqs.filter((seq) => !found.used.has(seq))
    for (const value of (await readBodies(from, unused)).values()) {
      const id = value && parse(value)?._id
      if (typeof id === 'string' && !found.sound.has(id)) found.broken.add(id)
    }
  }
  for await (const [key, value] of from.scan(rangeFrom(old.locals))) {
    const id = key.slice(`${old.locals}_local/`.length)
    await add([{ type: 'put', key: keyOf.local(id), value }])
  }
  if (counters.seq > 0 || counters.tally !== 0) {
    batch.push({ type: 'put', key: keyOf.counters, value: JSON.stringify(counters) })
  }
  await write(batch)
  return { broken: [...found.broken], count: counters.count, of }
}

/** An end of a branch in PouchDB's tree, and where its body is. */
interface End extends LeafRow {
  seq: number | undefined
}

type Node = [hash: string, { deleted?: boolean }, Node[]]

interface Tree {
  rev_tree: { pos: number; ids: Node }[]
  rev_map: Record<string, number>
  seq: number
}

function readTree(id: string, value: Buffer): { id: string; seq?: number; ends: End[] } {
  const tree = parse(value) as Partial<Tree> | undefined
  if (!tree?.rev_tree || !tree.rev_map || tree.seq === undefined) return { id, ends: [] }
  const { rev_map, seq } = tree
  const ends = tree.rev_tree.flatMap(({ pos, ids }) => listEnds(ids, pos, []))
  return { id, seq, ends: ends.map((end) => ({ ...end, seq: rev_map[nameRev(end)] })) }
}

function listEnds([hash, { deleted }, children]: Node, start: number, before: string[]): LeafRow[] {
  const ids = [hash, ...before]
  if (children.length > 0) return children.flatMap((child) => listEnds(child, start + 1, ids))
  return [{ start, ids, ...(deleted && { isDeleted: true as const }), text: '' }]
}

async function readBodies(from: OldDatabase, seqs: readonly number[]) {
  const keys = seqs.map((seq) => old.bodies + String(seq).padStart(16, '0'))
  const values = await from.read(keys)
  return new Map(seqs.map((seq, index) => [seq, values[index]] as const))
}

function toLeafRow(
  id: string,
  { seq, ...leaf }: End,
  bodies: ReadonlyMap<number, Buffer | undefined>,
): LeafRow | undefined {
  const bytes = seq === undefined ? undefined : bodies.get(seq)
  const body = bytes && parse(bytes)
  if (body?._id !== id) return undefined
  const { _id, _rev, _deleted, _revisions, _attachments, ...fields } = body
  const stubs = Object.entries(_attachments ?? {}).map(([name, stub]) => [
    name,
    { ...(stub as object), stub: true },
  ])
  const files = stubs.length > 0 ? { _attachments: Object.fromEntries(stubs) } : {}
  return { ...leaf, text: JSON.stringify({ ...fields, ...files }) }
}

async function readFiles(from: OldDatabase, id: string, leaves: readonly LeafRow[]) {
  const stubs = leaves.flatMap((leaf) => Object.values(attachmentsOf(leaf)))
  if (stubs.length === 0) return []
  const values = await from.read(stubs.map(({ digest }) => old.bytes + digest))
  return stubs.flatMap(({ digest, length }, index): Operation[] => {
    // PouchDB stores no empty ones.
    const value = values[index] ?? (length === 0 ? Buffer.alloc(0) : undefined)
    return value ? [{ type: 'put', key: keyOf.bytes(id, digest), value }] : []
  })
}

function parse(value: Buffer) {
  try {
    const parsed = JSON.parse(String(value))
    return typeof parsed === 'object' && parsed !== null ? parsed : undefined
  } catch {
    return undefined
  }
}

const rangeFrom = (prefix: string) => ({ gte: prefix, lt: `${prefix}\uffff` })

async function* inPages<Entry>(entries: AsyncIterable<Entry>) {
  let page: Entry[] = []
  for await (const entry of entries) {
    page.push(entry)
    if (page.length < documentsAtOnce) continue
    yield page
    page = []
  }
  if (page.length > 0) yield page
}

type Bytes = Pick<Level, 'iterator' | 'getMany' | 'keys'>

/** A database in a LevelDB of its own, or behind a prefix. */
export function openOldDatabase(level: Bytes, prefix = ''): OldDatabase {
  const encodings = { keyEncoding: 'utf8', valueEncoding: 'buffer' } as const
  return {
    async *scan({ gte, lt }) {
      const range = { gte: prefix + gte, lt: prefix + lt, ...encodings }
      for await (const [key, value] of level.iterator<string, Buffer>(range)) {
        yield [key.slice(prefix.length), value]
      }
    },
    async *keys({ gte, lt }) {
      const range = { gte: prefix + gte, lt: prefix + lt, keyEncoding: 'utf8' } as const
      for await (const key of level.keys<string>(range)) yield key.slice(prefix.length)
    },
    read: (keys) =>
      level.getMany<string, Buffer>(
        keys.map((key) => prefix + key),
        encodings,
      ),
  }
}

/** The names of all databases: jumps from one to the next. Keys that belong to none are the store's own. */
export async function listDatabases(level: Pick<Level, 'keys'>): Promise<string[]> {
  const names: string[] = []
  for (let after = ''; ; ) {
    const [key] = await level.keys({ gt: after, limit: 1 }).all()
    if (key === undefined) return names
    const name = key.slice(0, Math.max(key.indexOf('!'), 0))
    const isOne = isDatabaseName(name)
    if (isOne && !guard.has(key)) names.push(name)
    after = isOne ? rangeOf(name).lt : key
  }
}

/** Is a database, or a part of it, still as an earlier version kept it? */
export async function isOldDatabase(level: Bytes, name: string): Promise<boolean> {
  const { gte, lt } = rangeOf(name)
  const range = { gte: gte + old.all, lt, limit: guard.size + 1, valueEncoding: 'utf8' } as const
  const first = await level.iterator<string, string>(range).all()
  return first.some(([key, value]) => guard.get(key) !== value)
}

/**
 * Brings a store of an earlier version into today's layout, one database after the other. Killed
 * anywhere, the next start goes on: what was there goes once all of it is on the disk in its new form.
 * @param onBroken called with documents that could not be read; what is left of them stays
 */
export async function takeOverPouchdb(options: {
  store: LevelStore
  onProgress: (progress: { done: number; of: number }) => void
  onBroken: (name: string, ids: readonly string[]) => void
}): Promise<void> {
  const { store, onProgress, onBroken } = options
  const level = await store.read()
  if ((await level.get(layoutKey)) !== undefined) return
  const names: string[] = []
  for (const name of await listDatabases(level)) {
    if (await isOldDatabase(level, name)) names.push(name)
  }
  for (const [done, name] of names.entries()) {
    onProgress({ done, of: names.length })
    const { gte: prefix, lt } = rangeOf(name)
    if ((await level.get(nameMark(name))) === undefined) {
      const { broken } = await convertDatabase(openOldDatabase(level, prefix), async (all) => {
        await store.write(all.map((one) => ({ ...one, key: prefix + one.key })))
      })
      if (broken.length > 0) onBroken(name, broken)
      const value = broken.length > 0 ? 'in part' : 'whole'
      await store.write([{ type: 'put', key: nameMark(name), value }], { mustSync: true })
    }
    if ((await level.get(nameMark(name))) === 'whole') {
      await store.clear({ gte: prefix + old.all, lt })
    }
  }
  if (names.length > 0) onProgress({ done: names.length, of: names.length })
  const marks = names.map((name) => ({ type: 'del' as const, key: nameMark(name) }))
  const put = (key: string, value: string) => ({ type: 'put' as const, key, value })
  const laidOut = [
    ...marks,
    ...[...guard].map(([key, value]) => put(key, value)),
    put(layoutKey, '2'),
  ]
  await store.write(laidOut, { isCounted: false }).catch((error: unknown) => {
    // A new store on a full disk can be read; the next start marks it.
    if (names.length > 0) throw error
  })
}
