/** Why the ledger ended a holding: it kept the server waiting, or its key held the most. */
export type GivenUp = 'late' | 'share'

/** Whose limit is reached: the key's, or the total. */
export type Full = 'key' | 'all'

/** Something that a key holds for a while. */
export interface Holding {
  key: string
  amount: number
  /** How long it has kept the server waiting, in ms; 0 while it is the server's turn. */
  lateMs?: () => number
  /** Ends it to make room for others. Without it, only its owner releases it. */
  end?: (why: GivenUp) => void
}

export interface Lease {
  /** Takes more. @returns undefined on success; otherwise nothing changed */
  grow(amount: number): Full | undefined
  shrink(amount: number): void
  /** Gives everything back, once. */
  release(): void
}

export type Ledger = ReturnType<typeof createLedger>

interface Entry extends Holding {
  isOver: boolean
}

interface Account {
  sum: number
  /** In the order in which they came. */
  entries: Set<Entry>
}

/**
 * Counts what each key holds, and the total. When full, late holdings give way, largest first; then
 * the key that holds most gives way to one that would still hold no more than it. A key below its
 * limit may exceed it once, because what it takes exists already.
 * @param lateAfterMs nothing counts as late before that
 */
export function createLedger(options: { perKey: number; overall: number; lateAfterMs: number }) {
  const { perKey, overall, lateAfterMs } = options
  const accounts = new Map<string, Account>()
  const counted = { taken: 0, refused: 0, ended: 0 }

  function sumOf(key: string): number {
    return accounts.get(key)?.sum ?? 0
  }

  function change(entry: Entry, amount: number) {
    const account = accounts.get(entry.key) ?? { sum: 0, entries: new Set() }
    accounts.set(entry.key, account)
    account.entries.add(entry)
    account.sum += amount
    entry.amount += amount
    counted.taken += amount
  }

  function release(entry: Entry) {
    if (entry.isOver) return
    entry.isOver = true
    counted.taken -= entry.amount
    const account = accounts.get(entry.key)
    if (!account) return
    account.sum -= entry.amount
    account.entries.delete(entry)
    if (account.entries.size === 0) accounts.delete(entry.key)
  }

  function giveUp(entry: Entry, why: GivenUp) {
    release(entry)
    counted.ended += 1
    entry.end?.(why)
  }

  function findLate(among: Iterable<Account>, asking: Entry): Entry | undefined {
    let found: { entry: Entry; sum: number; lateMs: number } | undefined
    for (const { sum, entries } of among) {
      if (found && sum < found.sum) continue
      for (const entry of entries) {
        if (entry === asking || !entry.end) continue
        const lateMs = entry.lateMs?.() ?? 0
        if (lateMs < lateAfterMs) continue
        if (!found || sum > found.sum || lateMs > found.lateMs) found = { entry, sum, lateMs }
      }
    }
    return found?.entry
  }

  /** The newest holding, which has progressed least, of the key that holds most. */
  function findLarger(asking: Entry, amount: number): Entry | undefined {
    let heaviest: Account | undefined
    for (const account of accounts.values()) {
      if (account.sum > (heaviest?.sum ?? 0)) heaviest = account
    }
    const newest = [...(heaviest?.entries ?? [])].findLast((entry) => entry.end)
    if (!heaviest || !newest || newest.key === asking.key) return undefined
    return heaviest.sum - newest.amount >= sumOf(asking.key) + amount ? newest : undefined
  }

  function makeRoom(asking: Entry, amount: number): Full | undefined {
    while (sumOf(asking.key) >= perKey) {
      const own = accounts.get(asking.key)
      const late = findLate(own ? [own] : [], asking)
      if (!late) return 'key'
      giveUp(late, 'late')
    }
    while (counted.taken >= overall) {
      const late = findLate(accounts.values(), asking)
      const found = late ?? findLarger(asking, amount)
      if (!found) return 'all'
      giveUp(found, late ? 'late' : 'share')
    }
    return undefined
  }

  function grow(entry: Entry, amount: number): Full | undefined {
    if (entry.isOver || amount <= 0) return undefined
    const full = makeRoom(entry, amount)
    if (full) counted.refused += 1
    // Making room may have ended the asking holding itself.
    else if (!entry.isOver) change(entry, amount)
    return full
  }

  return {
    /** @returns the lease, or the limit that leaves no room */
    take(holding: Holding): Lease | Full {
      const entry: Entry = { ...holding, amount: 0, isOver: false }
      const full = grow(entry, holding.amount)
      if (full) return full
      return {
        grow: (amount) => grow(entry, amount),
        shrink(amount) {
          if (!entry.isOver) change(entry, -Math.min(amount, entry.amount))
        },
        release: () => release(entry),
      }
    },
    sumOf,
    /** `refused` and `ended` count since the start. */
    stats: () => ({ ...counted, keys: accounts.size }),
  }
}
