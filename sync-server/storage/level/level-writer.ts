import { createTurnLines, type TurnLines } from '../../lib/turn-lines.ts'
import { asStorageError } from '../databases/as-storage-error.ts'
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

/** Whoever comes next waits for all of a group: it is to be over in a moment. */
const membersAtOnce = 250
const documentsAtOnce = 250

/**
 * The one way in which documents are written on LevelDB. Transactions that come while others are being written wait,
 * and are then done together: one of each person in turn, however many of them somebody has brought.
 */
export function createLevelWriter(options: {
  databases: OpenDatabases
  store: LevelStore
  tallies: StoredTallies
  signals: Signals
}) {
  const { databases, store, tallies, signals } = options
  const waiting = createTurnLines<Waiting>()
  const state = { running: undefined as Promise<void> | undefined, unsure: 0 }
  /** Databases of which nobody knows whether a write that failed is stored. */
  const unsure = new Set<string>()

  async function run() {
    while (waiting.count() > 0) await writeApart(takeGroup(waiting))
    // At once: whoever comes next must not take it for running.
    state.running = undefined
  }

  /** What cannot be stored fails alone: the others of its group are tried without it. */
  async function writeApart(group: readonly Waiting[]) {
    try {
      await writeGroup({ databases, store, tallies, signals, group })
    } catch (error) {
      const failed = asStorageError(error)
      const left = group.filter(({ isSettled }) => !isSettled)
      const names = new Set(
        left.flatMap(({ transaction }) => transaction.parts.map(({ name }) => name)),
      )
      // Some may be stored, and whoever tries again would find it done. Only these: while the disk is full, whoever
      // tries again would wake everybody who has tried.
      announceUnsure(names)
      if (failed instanceof StorageUnavailable || left.length <= 1) {
        for (const member of left) member.settle({ failed })
        for (const name of names) unsure.add(name)
      } else for (const member of left) await writeApart([member])
    }
  }

  /** No seq that any database gives: who waits looks for themselves how far it is. */
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
    /** Resolves when what `decide` wants is stored; rejects with what it throws, and nothing of it is stored. */
    transact<Result>(transaction: Transaction<Result>): Promise<TransactionOutcome<Result>> {
      return new Promise((resolve, reject) => {
        const member: Waiting = {
          transaction,
          isSettled: false,
          settle(outcome) {
            member.isSettled = true
            // Each transaction gets back the result of its own function, so the types meet again here.
            if ('done' in outcome) resolve(outcome.done as TransactionOutcome<Result>)
            else reject(outcome.failed)
          },
        }
        waiting.add(nameOwner(transaction), member)
        state.running ??= run()
      })
    },
    countWaiting: waiting.count,
    /** Resolves when nothing is under way. */
    async settle(): Promise<void> {
      await state.running
    },
  }
}

/** Whose it is: the database that a transaction names first is the one of whoever acts. */
function nameOwner({ parts }: Transaction<unknown>): string {
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
