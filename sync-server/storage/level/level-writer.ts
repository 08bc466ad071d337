import { must } from '../../../schema/helpers/assertions.ts'
import { createTurnLines, type TurnLines } from '../../lib/few-in-a-turn.ts'
import type { DocumentWrite } from '../documents/database.ts'
import { draftWrites, type WriteDraft } from '../documents/draft-writes.ts'
import { grow, nameByChance, nameRev } from '../documents/grow-branch.ts'
import { planWrites } from '../documents/plan-writes.ts'
import type { News, Signals } from '../documents/signals.ts'
import { asStorageError, DocumentDamaged, StorageUnavailable } from '../documents/storage-errors.ts'
import type { Transaction, TransactionOutcome } from '../documents/transaction.ts'
import { addLeaf, currentOf, pickCurrent, type Row, splitRev, toLeaf } from './document-rows.ts'
import type { ChangedRow, LevelDatabase } from './level-database.ts'
import type { LevelStore, Operation } from './level-store.ts'
import type { OpenDatabases } from './open-databases.ts'

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
  signals: Signals
}) {
  const { databases, store, signals } = options
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
      await writeGroup({ databases, store, signals, group })
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

/** A group's transaction and its outcome. */
interface GroupMember {
  transaction: Transaction<unknown>
  settle(outcome: { done: TransactionOutcome<unknown> } | { failed: unknown }): void
}

/**
 * Runs transactions together: one read, their functions in turn, one write of all. One whose
 * function throws fails alone.
 * @throws when something could not be stored; retry unsettled members separately
 */
async function writeGroup(options: {
  databases: OpenDatabases
  store: LevelStore
  signals: Signals
  group: readonly GroupMember[]
}): Promise<void> {
  const { databases, store, signals, group } = options
  const wanted = gatherIds(group)

  // A read from before a reopening would be refused.
  await store.ensureSound()
  await databases.openAll([...wanted.keys()], async (opened) => {
    const parts = new Map<string, Part>()
    await Promise.all(
      [...opened].map(async ([name, database]) => {
        const rows = await database.readRows(must(wanted.get(name), name))
        parts.set(name, { database, rows, draft: draftWrites(pickCurrent(rows)) })
      }),
    )
    const decided = group.flatMap((member) => decide(member, parts) ?? [])
    const plans = new Map<string, DatabasePlan>()
    for (const [name, part] of parts) plans.set(name, await planDatabase(name, part))
    const places = await writeTogether(store, parts, plans)
    for (const [name, { docs }] of plans) {
      const { from, seq } = must(places.get(name), name)
      if (docs.length > 0) signals.notify(name, seq, { from, docs })
    }
    for (const { member, result } of decided) {
      const revs = (name: string) => plans.get(name)?.revs ?? new Map<string, string>()
      member.settle({ done: { result, revs } })
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

type Rows = ReadonlyMap<string, Row | undefined>

/** One database of a group: what was read, and what becomes of it. */
interface Part {
  database: LevelDatabase
  rows: Rows
  draft: WriteDraft
}

function decide(
  member: GroupMember,
  drafts: ReadonlyMap<string, Part>,
): { member: GroupMember; result: unknown } | undefined {
  const { parts, decide } = member.transaction
  const draftOf = (name: string) => must(drafts.get(name), `a part of ${name}`).draft
  const idsOf = (name: string) => parts.flatMap((part) => (part.name === name ? part.ids : []))
  try {
    // Every stored document was put there as a Body.
    const { writes, result } = decide((name) => draftOf(name).read(idsOf(name)) as never)
    for (const write of writes) draftOf(write.name).check(idsOf(write.name), write)
    for (const write of writes) draftOf(write.name).add(write)
    return { member, result }
  } catch (failed) {
    member.settle({ failed })
    return undefined
  }
}

/** What a group writes into one database. */
interface DatabasePlan {
  changed: Map<string, ChangedRow>
  bytes: Operation[]
  /** The revision of each document that was read or written. */
  revs: ReadonlyMap<string, string>
  /** The new version of each document. */
  docs: News['docs']
}

async function planDatabase(name: string, { database, rows, draft }: Part): Promise<DatabasePlan> {
  const { edits, replicated, revs, stale } = await planWrites({
    stored: draft.stored,
    writes: draft.writes.values(),
    // Nobody may know a name before it is given.
    nameChild: nameByChance,
    readLeaves: async (id) => listLeaves(rows.get(id)),
  })
  // Nobody else writes here between the read and this.
  if (stale.size > 0) throw new Error(`${name} changed while it was written`)
  const created = edits.filter(({ _id }) => !rows.has(_id)).map(({ _id }) => _id)
  const all =
    created.length === 0 ? rows : new Map([...rows, ...(await database.readRows(created))])
  for (const id of created) if (currentOf(id, all.get(id))) throw new Error(`${id} is taken`)
  const named = edits.map((edit) => nameEdit(edit, all.get(edit._id)))
  for (const { _id, _rev } of named) revs.set(_id, _rev)
  const plan: DatabasePlan = { changed: new Map(), bytes: [], revs, docs: [] }
  for (const write of [...replicated, ...named]) {
    const before = all.get(write._id)
    const { leaf, bytes } = toLeaf(write)
    const leaves = addLeaf(plan.changed.get(write._id)?.leaves ?? before?.leaves ?? [], leaf)
    if (leaves) plan.changed.set(write._id, { before, leaves })
    plan.bytes.push(...bytes)
  }
  plan.docs = [...draft.writes.values()].flatMap(({ body }) =>
    plan.changed.has(body._id) ? [{ ...body, _rev: must(revs.get(body._id), body._id) }] : [],
  )
  return plan
}

function listLeaves(row: Row | undefined) {
  return (row?.leaves ?? []).map(({ start, ids, isDeleted = false }) => ({
    revisions: { start, ids },
    isDeleted,
  }))
}

/**
 * Names an edit's revision: a name made of its content could be predicted by a client, and pushed
 * elsewhere in the tree first. A document that is made again follows its removal, as in CouchDB.
 */
function nameEdit(edit: DocumentWrite, row: Row | undefined): DocumentWrite & { _rev: string } {
  const winner = row?.leaves[0]
  const parent = edit._rev === undefined ? winner : splitRev(edit._rev)
  const revisions = grow(parent ?? { start: 0, ids: [] }, '', nameByChance)
  return { ...edit, _rev: nameRev(revisions), _revisions: revisions }
}

/**
 * Stores what a group writes as one batch: all of it, or nothing.
 * @returns each database's place before and after
 */
async function writeTogether(
  store: LevelStore,
  parts: ReadonlyMap<string, Part>,
  plans: ReadonlyMap<string, DatabasePlan>,
): Promise<Map<string, { from: number; seq: number }>> {
  const places = new Map<string, { from: number; seq: number }>()
  const staged: { database: LevelDatabase; operations: Operation[] }[] = []
  // Nothing is awaited until all of it waits for the disk: what comes next builds on it.
  for (const [name, { database, draft }] of parts) {
    const { changed, bytes } = must(plans.get(name), name)
    const from = database.counters.seq
    const operations = database.stage(changed, { bytes, tally: draft.tally() })
    places.set(name, { from, seq: database.counters.seq })
    if (operations.length > 0) staged.push({ database, operations })
  }
  if (staged.length === 0) return places
  const generation = Math.min(...staged.map(({ database }) => database.generation))
  const operations = staged.flatMap((one) => one.operations)
  const stored = store.write(operations, { generation })
  await Promise.all(
    staged.map(({ database, operations }) => database.remember(operations, () => stored)),
  )
  return places
}
