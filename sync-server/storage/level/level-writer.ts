import { createTurnLines, type TurnLines } from '../../lib/turn-lines.ts'
import { asStorageError } from '../databases/as-storage-error.ts'
import { DocumentDamaged } from '../databases/document-damaged.ts'
import type { Signals } from '../databases/signals.ts'
import { StorageUnavailable } from '../databases/storage-unavailable.ts'
import type { Transaction, TransactionOutcome } from '../documents/transaction.ts'
import type { LevelStore } from './level-store.ts'
import type { OpenDatabases } from './open-databases.ts'
import type { StoredTallies } from './stored-tallies.ts'
import { type GroupMember, writeGroup } from './write-group.ts'

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
