type Locks = Pick<LockManager, 'request'>

/** This tab's number among the open tabs: the first has 0, and released numbers are reused. */
export interface TabSlot {
  number: number
  /**
   * Runs a task for a slot without an open tab, while no tab can take it.
   * @returns whether it ran
   */
  whileFree(number: number, work: () => Promise<void>): Promise<boolean>
  /**
   * Waits until no open tab has a slot, then runs a task while no tab can take it. Gives up,
   * without an error, once the signal is aborted.
   */
  whenFree(number: number, work: () => Promise<void>, signal: AbortSignal): Promise<void>
  release(): void
}

/** Assigns this tab a unique number for its lifetime. Without locks all tabs share the first. */
export async function claimTabSlot(options: {
  locks: Locks | undefined
  name: string
}): Promise<TabSlot> {
  const { locks } = options
  const slotKey = (number: number) => `${options.name}-${number}`
  const own: { release: () => void; number: number } = { release: () => {}, number: 0 }

  /** Holds the lock until released; resolves as soon as ownership is known. */
  function tryClaim(number: number): Promise<boolean> {
    return new Promise((resolve) => {
      if (!locks) return resolve(true)
      const held = locks.request(slotKey(number), { ifAvailable: true }, (lock) => {
        resolve(lock !== null)
        if (!lock) return
        return new Promise<void>((release) => {
          own.release = release
        })
      })
      // Treats a browser that denies locks as one without them.
      held.catch(() => resolve(true))
    })
  }

  while (!(await tryClaim(own.number))) own.number += 1
  return {
    number: own.number,
    async whileFree(number, work) {
      if (!locks || number === own.number) return false
      return await locks.request(slotKey(number), { ifAvailable: true }, async (lock) => {
        if (lock) await work()
        return lock !== null
      })
    },
    async whenFree(number, work, signal) {
      if (!locks || number === own.number || signal.aborted) return
      let hasBegun = false
      const run = () => {
        hasBegun = true
        return work()
      }
      await locks.request(slotKey(number), { signal }, run).catch((cause: unknown) => {
        if (hasBegun || !signal.aborted) throw cause
      })
    },
    release: () => own.release(),
  }
}
