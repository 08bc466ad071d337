import { must } from '../../../schema/helpers/assertions.ts'
import { createDeferred } from '../../../schema/helpers/deferred.ts'
import { createTurnLines, type TurnLines } from '../../lib/few-in-a-turn.ts'
import { draftWrites, type WriteDraft } from '../documents/draft-writes.ts'
import { grow, nameByChance, nameRev, revisionsKept } from '../documents/grow-branch.ts'
import { planWrites, type WritePlan } from '../documents/plan-writes.ts'
import type { PouchWrite } from '../documents/pouch.ts'
import { readLeaves } from '../documents/read-revisions.ts'
import type { News, Signals } from '../documents/signals.ts'
import { asStorageError, DocumentDamaged, StorageUnavailable } from '../documents/storage-errors.ts'
import type { DatabaseWrite, Transaction, TransactionOutcome } from '../documents/transaction.ts'
import type { OpenDatabase } from './level-database.ts'
import type { LevelStore, Operation } from './level-store.ts'
import type { OpenDatabases } from './open-databases.ts'
import { type NamedEdit, type PlainEdit, planPlainEdit, writeEdits } from './plain-edits.ts'
import type { Sink } from './prefixed-leveldown.ts'
import { type Current, pickDocuments, readWithMetadata } from './read-current.ts'
import type { StoredTallies } from './stored-tallies.ts'

interface Waiting extends GroupMember {
  isSettled: boolean
}

/** Nobody misses a receipt for this long, and those of many people become one write. */
const patienceMs = 20

/** At least this long between two such writes: what each costs is shared by more people. */
const patientEveryMs = 100

/** The next caller waits for a whole group: keep it short. */
const membersAtOnce = 250

const documentsAtOnce = 250

/**
 * The only writer of documents on LevelDB. Transactions that arrive during a write wait, then run
 * together: one for each person in turn, however many somebody has queued. Patient ones wait a
 * moment for each other first, so that no message waits behind each receipt.
 */
export function createLevelWriter(options: {
  databases: OpenDatabases
  store: LevelStore
  tallies: StoredTallies
  signals: Signals
}) {
  const { databases, store, tallies, signals } = options
  const waiting = createTurnLines<Waiting>()
  const patient: Waiting[] = []
  const state = {
    running: undefined as Promise<void> | undefined,
    patience: undefined as NodeJS.Timeout | undefined,
    /** By `performance.now()`. */
    patienceEndedAt: Number.NEGATIVE_INFINITY,
    unsure: 0,
  }
  /** Databases whose failed write may be stored. */
  const unsure = new Set<string>()

  async function run() {
    while (waiting.count() > 0) await writeApart(takeGroup(waiting))
    // Synchronously: the next caller must not take it for running.
    state.running = undefined
  }

  function enqueue(members: readonly Waiting[]) {
    for (const member of members) waiting.add(ownerKey(member.transaction), member)
    if (waiting.count() > 0) state.running ??= run()
  }

  function endPatience() {
    clearTimeout(state.patience)
    state.patience = undefined
    state.patienceEndedAt = performance.now()
    enqueue(patient.splice(0))
  }

  /** An unstorable transaction fails alone: retries the others of its group without it. */
  async function writeApart(group: readonly Waiting[]) {
    try {
      await writeGroup({ databases, store, tallies, signals, group })
    } catch (error) {
      const failed = asStorageError(error)
      const left = group.filter(({ isSettled }) => !isSettled)
      const names = new Set(
        left.flatMap(({ transaction }) => transaction.parts.map(({ name }) => name)),
      )
      // Some may be stored, and a retry would find them. Announce only these: on a full disk, each
      // retry would wake everybody who has tried.
      announceUnsure(names)
      const isOfAll = failed instanceof StorageUnavailable && !(failed instanceof DocumentDamaged)
      if (isOfAll || left.length <= 1) {
        for (const member of left) member.settle({ failed })
        for (const name of names) unsure.add(name)
      } else for (const member of left) await writeApart([member])
    }
  }

  /** No database gives this seq: waiting readers look for themselves. */
  function announceUnsure(names: Iterable<string>) {
    for (const name of names) {
      state.unsure += 1
      signals.notify(name, `unsure ${state.unsure}`)
    }
  }

  store.onReopened(() => {
    announceUnsure(unsure)
    unsure.clear()
  })

  return {
    /**
     * Resolves when the writes from `decide` are stored; rejects with its error, storing nothing.
     */
    transact<Result>(transaction: Transaction<Result>): Promise<TransactionOutcome<Result>> {
      return new Promise((resolve, reject) => {
        const member: Waiting = {
          transaction,
          isSettled: false,
          settle(outcome) {
            member.isSettled = true
            // Each transaction gets its own function's result back, so the types match here.
            if ('done' in outcome) resolve(outcome.done as TransactionOutcome<Result>)
            else reject(outcome.failed)
          },
        }
        if (!transaction.isPatient) return enqueue([member])
        patient.push(member)
        const pauseMs = state.patienceEndedAt + patientEveryMs - performance.now()
        state.patience ??= setTimeout(endPatience, Math.max(patienceMs, pauseMs))
      })
    },
    countWaiting: () => waiting.count() + patient.length,
    /** Resolves when everything that waits is written. */
    async settle(): Promise<void> {
      endPatience()
      await state.running
    },
  }
}

/** The owner: a transaction names the actor's database first. */
function ownerKey({ parts }: Transaction<unknown>): string {
  return parts[0]?.name ?? ''
}

function takeGroup(waiting: TurnLines<Waiting>): Waiting[] {
  const group: Waiting[] = []
  let count = 0
  for (let next = waiting.next(); next && group.length < membersAtOnce; next = waiting.next()) {
    count += next.transaction.parts.reduce((sum, { ids }) => sum + ids.length, 0)
    if (count > documentsAtOnce && group.length > 0) break
    waiting.take()
    group.push(next)
  }
  return group
}

type Revs = Map<string, string>

/** A group's transaction and its outcome. */
interface GroupMember {
  transaction: Transaction<unknown>
  settle(outcome: { done: TransactionOutcome<unknown> } | { failed: unknown }): void
}

/**
 * Runs transactions together: one read, their functions in turn, one write of each database. One
 * store batch holds those that span several databases. One whose function throws fails alone.
 * @throws when something could not be stored; retry unsettled members separately
 */
async function writeGroup(options: {
  databases: OpenDatabases
  store: LevelStore
  tallies: StoredTallies
  signals: Signals
  group: readonly GroupMember[]
}): Promise<void> {
  const { databases, store, tallies, signals, group } = options
  const wanted = gatherIds(group)
  const names = [...wanted.keys()]

  // A read from before a reopening would be refused.
  await store.ensureSound()
  await databases.openAll(names, async (opened) => {
    const currents = new Map<string, ReadonlyMap<string, Current>>()
    const drafts = new Map<string, WriteDraft>()
    await Promise.all(
      [...opened].map(async ([name, database]) => {
        const current = await readWithMetadata(database, must(wanted.get(name), name))
        currents.set(name, current)
        drafts.set(name, draftWrites(pickDocuments(current)))
      }),
    )
    const decided = group.flatMap((member) => decide(member, drafts) ?? [])
    const places = readPlaces(opened)
    const revs = await writeDrafts({ opened, currents, drafts, store, tallies, decided })
    const now = readPlaces(opened)
    for (const [name, { docs }] of revs) {
      const [from, seq] = [must(places.get(name), name), must(now.get(name), name)]
      if (docs.length > 0) signals.notify(name, seq, { from, docs })
    }
    for (const { member, result } of decided) {
      const revsOf = (name: string) => revs.get(name)?.revs ?? new Map<string, string>()
      member.settle({ done: { result, revs: revsOf } })
    }
  })
}

/** The ids that a group reads, by database. */
function gatherIds(group: readonly GroupMember[]): Map<string, Set<string>> {
  const wanted = new Map<string, Set<string>>()
  for (const { name, ids } of group.flatMap(({ transaction }) => transaction.parts)) {
    const own = wanted.get(name) ?? new Set()
    wanted.set(name, own)
    for (const id of ids) own.add(id)
  }
  return wanted
}

interface Decided {
  member: GroupMember
  writes: readonly DatabaseWrite[]
  result: unknown
}

function decide(member: GroupMember, drafts: ReadonlyMap<string, WriteDraft>): Decided | undefined {
  const { parts, decide } = member.transaction
  const draftOf = (name: string) => must(drafts.get(name), `a part of ${name}`)
  const idsOf = (name: string) => parts.flatMap((part) => (part.name === name ? part.ids : []))
  try {
    // Every stored document was put there as a Body.
    const { writes, result } = decide((name) => draftOf(name).read(idsOf(name)) as never)
    for (const write of writes) draftOf(write.name).check(idsOf(write.name), write)
    for (const write of writes) draftOf(write.name).add(write)
    return { member, writes, result }
  } catch (failed) {
    member.settle({ failed })
    return undefined
  }
}

/** Each database's last place. */
function readPlaces(opened: ReadonlyMap<string, OpenDatabase>): Map<string, number> {
  return new Map([...opened].map(([name, { counters }]) => [name, counters.seq]))
}

/** @returns every database's revisions, and the current version of each document written there */
async function writeDrafts(options: {
  opened: ReadonlyMap<string, OpenDatabase>
  currents: ReadonlyMap<string, ReadonlyMap<string, Current>>
  drafts: ReadonlyMap<string, WriteDraft>
  store: LevelStore
  tallies: StoredTallies
  decided: readonly Decided[]
}) {
  const { opened, currents, drafts, store, tallies, decided } = options
  const written = new Map<string, { revs: Revs; docs: News['docs'] }>()
  const batches: (DatabaseBatch & { name: string })[] = []
  for (const [name, draft] of drafts) {
    const database = must(opened.get(name), name)
    const plan = await planWrites({
      stored: draft.stored,
      writes: draft.writes.values(),
      // Nobody may know a name before it is given.
      nameChild: nameByChance,
      readLeaves: async (id) => await readLeaves(await database.pouch(), id),
    })
    // Nobody else writes here between the read and this.
    if (plan.stale.size > 0) throw new Error(`${name} changed while it was written`)
    const current = await readCreated(database, must(currents.get(name), name), plan.edits)
    const { named, all, revs } = nameEdits(plan, current)
    const ids = new Set(all.map(({ _id }) => _id))
    const docs = [...draft.writes.values()].flatMap(({ body }) =>
      ids.has(body._id) ? [{ ...body, _rev: must(revs.get(body._id), body._id) }] : [],
    )
    written.set(name, { revs, docs })
    if (all.length === 0) continue
    const isEdited = all.length === named.length
    const plain = isEdited ? planPlainEdits(current, named) : undefined
    batches.push({ name, database, ...(plain ? { plain } : { docs: all }) })
  }
  // Attachments bypass this: no document written together may have any.
  const isTogether = findTogether(decided)
  const counted = await tallies.draft(drafts)
  for (const { name } of counted) isTogether.add(name)
  const together = batches.filter(({ name }) => isTogether.has(name))
  const alone = batches.filter(({ name }) => !isTogether.has(name))
  const besides = counted.map(({ operation }) => operation)
  await Promise.all([
    writeTogether(store, together, besides),
    ...alone.map((batch) => writeBatch(batch)),
  ])
  tallies.record(counted)
  return written
}

/** The databases of transactions that span more than one. */
function findTogether(decided: readonly Decided[]): Set<string> {
  const names = decided.flatMap(({ writes }) => {
    const own = new Set(writes.map(({ name }) => name))
    return own.size > 1 ? [...own] : []
  })
  return new Set(names)
}

/**
 * @returns also the trees of the created ones, which were not read: their ids must be free, and no
 * edit follows a version that nobody saw
 */
async function readCreated(
  database: OpenDatabase,
  current: ReadonlyMap<string, Current>,
  edits: readonly PouchWrite[],
): Promise<ReadonlyMap<string, Current>> {
  const created = new Set(edits.flatMap(({ _id }) => (current.has(_id) ? [] : [_id])))
  if (created.size === 0) return current
  const found = await readWithMetadata(database, created)
  const trees = new Map<string, Current>(current)
  for (const [id, { metadata }] of found) trees.set(id, { metadata })
  return trees
}

/** @returns undefined when one of them needs PouchDB: a database's writes are one call */
function planPlainEdits(
  current: ReadonlyMap<string, Current>,
  named: readonly NamedEdit[],
): PlainEdit[] | undefined {
  const plans: PlainEdit[] = []
  for (const edit of named) {
    const { doc: stored, metadata } = current.get(edit._id) ?? {}
    const plan = planPlainEdit({ edit, stored, metadata, revsLimit: revisionsKept })
    if (!plan) return undefined
    plans.push(plan)
  }
  return plans
}

/**
 * Names the edits' revisions: PouchDB names an edit by its content, which a client could predict
 * and push elsewhere in the tree first.
 * @returns `all`: with the plan's replicated revisions; `revs`: those of the plan and the new ones
 */
function nameEdits({ edits, replicated, revs }: WritePlan, current: ReadonlyMap<string, Current>) {
  const named = edits.map((edit) => nameEdit(edit, current.get(edit._id)))
  const known = new Map([...revs, ...named.map(({ _id, _rev }) => [_id, _rev] as const)])
  return { named, all: [...replicated, ...named], revs: known }
}

function nameEdit(edit: PouchWrite, stored: Current | undefined): NamedEdit {
  const { _rev: parent = findTombstone(stored), ...body } = edit
  const [start, hash] = parent?.split('-') ?? []
  const before = { start: Number(start ?? 0), ids: hash === undefined ? [] : [hash] }
  const revisions = grow(before, '', nameByChance)
  return { ...body, _rev: nameRev(revisions), _revisions: revisions }
}

/**
 * What a document that is made again follows, as in CouchDB: a new beginning each time would stay
 * in its tree forever, and every write merges all of them.
 */
function findTombstone(stored: Current | undefined): string | undefined {
  return stored?.metadata?.deleted === true ? stored.metadata.winningRev : undefined
}

/** One database's part of a write: by PouchDB, or by keys alone. */
type DatabaseBatch = {
  database: OpenDatabase
} & ({ docs: PouchWrite[] } | { plain: readonly PlainEdit[] })

/**
 * Writes several databases atomically: holds back what each one writes until all have arrived, then
 * stores them as one batch.
 * @param besides operations for the same batch
 */
async function writeTogether(
  store: LevelStore,
  batches: readonly DatabaseBatch[],
  besides: readonly Operation[] = [],
): Promise<void> {
  const operations: Operation[] = [...besides]
  if (batches.length === 0) {
    if (operations.length > 0) await store.write(operations)
    return
  }
  const state = { left: batches.length }
  const together = createDeferred()
  const arrived = createDeferred()
  together.promise.catch(() => undefined)

  const writing = batches.map(async (batch) => {
    let hasArrived = false
    const arrive = () => {
      if (hasArrived) return
      hasArrived = true
      state.left -= 1
      if (state.left === 0) arrived.resolve()
    }
    try {
      await writeBatch(batch, async (own) => {
        operations.push(...own)
        arrive()
        await together.promise
      })
    } catch (error) {
      // Before all have arrived the store has nothing, and stays so.
      arrived.reject(error)
      throw error
    } finally {
      arrive()
    }
  })

  try {
    await arrived.promise
    const generation = Math.min(...batches.map(({ database: { view } }) => view.generation))
    await store.write(operations, { generation })
    together.resolve()
  } catch (error) {
    together.reject(error)
    await Promise.allSettled(writing)
    throw error
  }
  await Promise.all(writing)
}

/**
 * Writes one database: into the store, or into `sink`.
 * @throws Error when PouchDB refuses one of the documents
 */
export async function writeBatch(batch: DatabaseBatch, sink?: Sink): Promise<void> {
  if ('plain' in batch) return await writePlain(batch.database, batch.plain, sink)
  const { view } = batch.database
  const pouch = await batch.database.pouch()
  view.divert(sink)
  try {
    const failures = await pouch.bulkDocs(batch.docs, { new_edits: false })
    if (failures.length > 0) throw new Error('a revision could not be stored', { cause: failures })
  } finally {
    view.divert(undefined)
  }
}

async function writePlain(
  { view, counters, writeKeys }: OpenDatabase,
  edits: readonly PlainEdit[],
  sink?: Sink,
): Promise<void> {
  await writeKeys(async () => {
    const { operations, seq, count } = writeEdits(edits, counters)
    await view.write(operations, sink)
    Object.assign(counters, { seq, count })
  })
}
