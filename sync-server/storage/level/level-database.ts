import type { AskedChanges, Database, DocumentWrite, RangeOptions } from '../documents/database.ts'
import type { Change, ChangesPage, Document, Stored } from '../documents/documents.ts'
import { grow, nameByChance, nameRev } from '../documents/grow-branch.ts'
import {
  addLeaf,
  attachmentsOf,
  type Counters,
  decodeRow,
  dropBytes,
  encodeRow,
  hasRevision,
  isDeleted,
  keyOf,
  type LeafRow,
  pickCurrent,
  type Row,
  rangeOf,
  rangeOfKind,
  readCounters,
  splitRev,
  toDocument,
  toLeaf,
} from './document-rows.ts'
import type { JoinedGets, RecentView } from './key-reads.ts'
import type { KeyRange, Level, LevelStore, Operation } from './level-store.ts'

/** Rows of one page of a scan: what they cost the main thread, others wait for. */
const rowsAtOnce = 64

const pageMaxBytes = 256 * 1024

/** A document that changes: what is stored of it, and its leaves from now on. */
export interface ChangedRow {
  before: Row | undefined
  leaves: readonly LeafRow[]
}

/** An open database of the store. */
export interface LevelDatabase extends Database {
  /** Of the store, before anything was read. */
  readonly generation: number
  /** With what is being written. */
  readonly counters: Readonly<Counters>
  /** What is stored of each id. @throws StorageUnavailable, DocumentDamaged */
  readRows(ids: Iterable<string>): Promise<Map<string, Row | undefined>>
  /**
   * Gives each changed document the next place. What it returns must be stored, with `remember`,
   * before anything else is awaited: the next write builds on it.
   */
  stage(
    changed: ReadonlyMap<string, ChangedRow>,
    besides?: { bytes?: readonly Operation[]; tally?: number },
  ): Operation[]
  /** Puts another tally in the place of the one that writes have come to. */
  writeTally(tally: number): Promise<void>
  /** Remembers what `store` has stored. */
  remember(operations: readonly Operation[], store: () => Promise<void>): Promise<void>
}

/** @param getFrom reads keys, joined with those that others read */
export async function openLevelDatabase(options: {
  name: string
  store: LevelStore
  recent: RecentView
  getFrom: (level: Level) => JoinedGets
}): Promise<LevelDatabase> {
  const { name, store, recent, getFrom } = options
  const { gte: prefix } = rangeOf(name)
  const generation = store.generation()

  async function readStored(key: string, encoding: 'utf8' | 'buffer') {
    const level = store.readNow() ?? (await store.read())
    try {
      return await getFrom(level)(prefix + key, encoding)
    } catch (error) {
      store.recordReadFailure(level, error)
      throw store.refuseRead(error)
    }
  }

  const readText = (key: string) =>
    recent.read(key, async () => (await readStored(key, 'utf8')) as string | undefined)

  async function readRow(id: string): Promise<Row | undefined> {
    const text = await readText(keyOf.document(id))
    return text === undefined ? undefined : decodeRow(text)
  }

  async function readStoredRow(id: string): Promise<Row | undefined> {
    const text = await readStored(keyOf.document(id), 'utf8')
    return text === undefined ? undefined : decodeRow(String(text))
  }

  async function requireRow(id: string): Promise<Row> {
    const row = await readRow(id)
    if (!row) throw notFound()
    return row
  }

  /** The keys of a range with their values, in pages, as they are at the first. */
  async function* scan(
    range: Partial<KeyRange> & { lte?: string },
    { reverse, most }: { reverse: boolean; most: number },
  ) {
    const level = store.readNow() ?? (await store.read())
    const bounds = Object.entries(range).map(([bound, key]) => [bound, prefix + key])
    const iterator = level.iterator<string, string>({
      ...Object.fromEntries(bounds),
      reverse,
      valueEncoding: 'utf8',
      highWaterMarkBytes: pageMaxBytes,
    })
    try {
      for (;;) {
        const page = await iterator.nextv(Math.min(rowsAtOnce, most)).catch((error: unknown) => {
          store.recordReadFailure(level, error)
          throw store.refuseRead(error)
        })
        if (page.length === 0) return
        yield page.map(([key, value]) => [key.slice(prefix.length), value] as const)
      }
    } finally {
      await iterator.close()
    }
  }

  const counters = readCounters(await readText(keyOf.counters))
  const state = { writing: Promise.resolve() as Promise<unknown> }

  /** Runs writes that are decided here one after the other. */
  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = state.writing.then(work, work)
    state.writing = done.catch(() => undefined)
    return done
  }

  const remember: LevelDatabase['remember'] = (operations, write) =>
    recent.write(unprefixed(operations), write)

  const unprefixed = (operations: readonly Operation[]) =>
    operations.map((operation) => ({ ...operation, key: operation.key.slice(prefix.length) }))

  const prefixed = (operations: readonly Operation[]) =>
    operations.map((operation) => ({ ...operation, key: prefix + operation.key }))

  async function write(operations: readonly Operation[]) {
    if (operations.length === 0) return
    await remember(operations, () => store.write(operations, { generation }))
  }

  const stage: LevelDatabase['stage'] = (changed, { bytes = [], tally = 0 } = {}) => {
    if (changed.size === 0 && tally === 0) return []
    const operations: Operation[] = [...bytes]
    for (const [id, { before, leaves }] of changed) {
      counters.seq += 1
      const { seq } = counters
      counters.count += Number(!isDeleted(leaves)) - Number(!isDeleted(before?.leaves ?? []))
      if (before) {
        operations.push({ type: 'del', key: keyOf.place(before.seq) })
        operations.push(...dropBytes(id, before.leaves, leaves))
      }
      const value = encodeRow({ seq, leaves })
      operations.push({ type: 'put', key: keyOf.document(id), value })
      operations.push({ type: 'put', key: keyOf.place(seq), value: id })
    }
    counters.tally += tally
    operations.push({ type: 'put', key: keyOf.counters, value: JSON.stringify(counters) })
    return prefixed(operations)
  }

  async function putLocal({ _rev, _deleted, ...doc }: DocumentWrite): Promise<{ rev: string }> {
    const key = keyOf.local(doc._id.slice(localPrefix.length))
    return await inTurn(async () => {
      const text = await readText(key)
      const stored = text === undefined ? undefined : JSON.parse(text)
      if (stored?._rev !== _rev) throw conflict(doc._id)
      const rev = `0-${Number(stored?._rev.slice('0-'.length) ?? 0) + 1}`
      const value = JSON.stringify({ ...doc, _rev: rev })
      await write(prefixed([_deleted ? { type: 'del', key } : { type: 'put', key, value }]))
      return { rev }
    })
  }

  function bulkDocs(docs: DocumentWrite[], { new_edits = true } = {}) {
    return inTurn(async () => {
      const rows = await readRows(docs.map(({ _id }) => _id))
      const changed = new Map<string, ChangedRow>()
      const bytes: Operation[] = []
      const answers: Awaited<ReturnType<Database['bulkDocs']>> = []
      for (const doc of docs) {
        const before = rows.get(doc._id)
        const leaves = changed.get(doc._id)?.leaves ?? before?.leaves ?? []
        const named = new_edits ? follow(doc, leaves) : doc
        if (!named) {
          answers.push({ ...conflict(doc._id) })
          continue
        }
        const added = toLeaf(named)
        const grown = addLeaf(leaves, added.leaf)
        if (new_edits) answers.push({ id: doc._id, rev: nameRev(added.leaf), ok: true })
        if (!grown) continue
        bytes.push(...added.bytes)
        changed.set(doc._id, { before, leaves: grown })
      }
      await write(stage(changed, { bytes }))
      return answers
    })
  }

  async function readRows(ids: Iterable<string>) {
    const all = [...ids]
    const rows = await Promise.all(all.map(readRow))
    return new Map(all.map((id, index) => [id, rows[index]] as const))
  }

  async function readAllDocs({
    startkey,
    endkey,
    limit = Number.POSITIVE_INFINITY,
    descending = false,
    include_docs = false,
  }: RangeOptions & { include_docs?: boolean }) {
    const [first, last] = descending ? [endkey, startkey] : [startkey, endkey]
    const { gte, lt } = rangeOfKind('d')
    const range = {
      gte: first === undefined ? gte : keyOf.document(first),
      ...(last === undefined ? { lt } : { lte: keyOf.document(last) }),
    }
    const rows: { id: string; value: { rev: string }; doc?: Stored<Document> }[] = []
    if (limit === 0 || (last !== undefined && range.gte > keyOf.document(last))) return { rows }
    for await (const page of scan(range, { reverse: descending, most: limit })) {
      for (const [key, value] of page) {
        const { leaves } = decodeRow(value)
        const [winner] = leaves
        if (!winner || winner.isDeleted) continue
        const id = key.slice(gte.length)
        const row = { id, value: { rev: nameRev(winner) } }
        rows.push(include_docs ? { ...row, doc: toDocument(id, winner) } : row)
        if (rows.length === limit) return { rows }
      }
    }
    return { rows }
  }

  async function readChanges(asked: AskedChanges): Promise<ChangesPage<Document>> {
    const { since = 0, descending = false } = asked
    // CouchDB takes none for one.
    const most = Math.max(asked.limit ?? Number.POSITIVE_INFINITY, 1)
    const results: Change<Document>[] = []
    const place = { last: Number(since) }
    const range = { ...rangeOfKind('s'), gte: keyOf.place(Number(since) + 1) }
    for await (const page of scan(range, { reverse: descending, most })) {
      const rows = await readRows(page.map(([, id]) => id))
      for (const [key, id] of page) {
        const seq = Number(key.slice('s/'.length))
        place.last = seq
        const found = rows.get(id)
        // What is remembered follows the disk by a moment: a change must not be passed over.
        const row = found && found.seq >= seq ? found : await readStoredRow(id)
        // A newer version has another place since, which comes later.
        if (row?.seq === seq) results.push(toChange(id, row, asked))
        if (results.length === most) return { results, last_seq: seq }
      }
    }
    return { results, last_seq: place.last }
  }

  async function get(
    id: string,
    { rev, revs = false, open_revs }: { rev?: string; revs?: boolean; open_revs?: 'all' } = {},
  ) {
    if (id.startsWith(localPrefix)) {
      const text = await readText(keyOf.local(id.slice(localPrefix.length)))
      if (text === undefined) throw notFound()
      return JSON.parse(text)
    }
    const { leaves } = await requireRow(id)
    const show = (leaf: LeafRow) => {
      const { start, ids } = leaf
      return { ...toDocument(id, leaf), ...(revs && { _revisions: { start, ids } }) }
    }
    if (open_revs) return leaves.map((leaf) => ({ ok: show(leaf) }))
    const [winner] = leaves
    const leaf =
      rev === undefined
        ? winner && !winner.isDeleted && winner
        : leaves.find((one) => nameRev(one) === rev)
    if (!leaf) throw notFound()
    return show(leaf)
  }

  async function readBytes(id: string, digest: string): Promise<Buffer> {
    const bytes = await readStored(keyOf.bytes(id, digest), 'buffer')
    if (bytes === undefined) throw notFound()
    return bytes as Buffer
  }

  /** A revision as a replica takes it: with ancestry, and with its bytes in place of stubs. */
  async function readWhole(id: string, rev: string): Promise<DocumentWrite> {
    const document = await get(id, { rev, revs: true })
    const stubs = Object.entries<{ digest: string }>(document._attachments ?? {})
    for (const [, stub] of stubs) {
      const data = (await readBytes(id, stub.digest)).toString('base64')
      Object.assign(stub, { data, stub: undefined })
    }
    return document
  }

  async function put(doc: DocumentWrite) {
    if (doc._id.startsWith(localPrefix)) return await putLocal(doc)
    const [answer] = await bulkDocs([doc])
    if (!answer || !('ok' in answer)) throw answer
    return { rev: answer.rev }
  }

  return {
    isRemote: false,
    generation,
    counters,
    readRows,
    stage,
    remember,
    writeTally: (tally) => inTurn(() => write(stage(new Map(), { tally: tally - counters.tally }))),
    get,
    put,
    bulkDocs,
    async readAll(ids) {
      return pickCurrent(await readRows(ids))
    },
    allDocs: readAllDocs,
    changes: readChanges,
    async revsDiff(revs) {
      const rows = await readRows(Object.keys(revs))
      const rowsOfMissing = Object.entries(revs).map(([id, asked]) => {
        const leaves = rows.get(id)?.leaves ?? []
        const isHere = (rev: string) => {
          const { start, ids } = splitRev(rev)
          return leaves.some((leaf) => hasRevision(leaf, start, ids[0] ?? ''))
        }
        return [id, { missing: asked.filter((rev) => !isHere(rev)) }] as const
      })
      return Object.fromEntries(rowsOfMissing.filter(([, { missing }]) => missing.length > 0))
    },
    async bulkGet(docs) {
      const results = await Promise.all(
        docs.map(async ({ id, rev }) => {
          const ok = await readWhole(id, rev).catch((error: unknown) => {
            if ((error as { status?: number }).status === 404) return undefined
            throw error
          })
          return { docs: [ok ? { ok } : { error: { id, rev, ...notFound() } }] }
        }),
      )
      return { results }
    },
    putAttachment: (id, attachment, data, content_type) =>
      put({ _id: id, _attachments: { [attachment]: { content_type, data } } } as DocumentWrite),
    async getAttachment(id, attachment) {
      const [winner] = (await requireRow(id)).leaves
      const stub = winner && !winner.isDeleted && attachmentsOf(winner)[attachment]
      if (!stub) throw notFound()
      return await readBytes(id, stub.digest)
    },
    async info() {
      const { count, seq } = readCounters(await readText(keyOf.counters))
      return { doc_count: count, update_seq: seq }
    },
  }
}

const localPrefix = '_local/'

/** As CouchDB says it. */
const notFound = () => ({ status: 404, error: true, name: 'not_found', reason: 'missing' })
const conflict = (id: string) => ({ id, status: 409, error: true, name: 'conflict' })

function toChange(id: string, row: Row, { style, include_docs }: AskedChanges): Change<Document> {
  const [winner] = row.leaves
  const shown = style === 'all_docs' ? row.leaves : row.leaves.slice(0, 1)
  return {
    id,
    seq: row.seq,
    changes: shown.map((leaf) => ({ rev: nameRev(leaf) })),
    ...(winner?.isDeleted && { deleted: true }),
    ...(include_docs && winner && { doc: toDocument(id, winner) }),
  }
}

/**
 * An edit under a revision of its own. A document that is made again follows its removal.
 * @returns undefined unless it follows the winning version
 */
function follow(doc: DocumentWrite, leaves: readonly LeafRow[]): DocumentWrite | undefined {
  const [winner] = leaves
  const isOpen = winner !== undefined && !winner.isDeleted
  if (isOpen ? doc._rev !== nameRev(winner) : doc._rev !== undefined) return undefined
  const parent = winner ?? { start: 0, ids: [] }
  return { ...doc, _revisions: grow(parent, '', nameByChance) }
}
