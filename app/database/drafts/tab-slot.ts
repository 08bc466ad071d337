type Locks = Pick<LockManager, 'request'>

/** Which of the open tabs this is: the first has 0, and a number that was given back is given again. */
export interface TabSlot {
  number: number
  /** Does something for a slot that no open tab has, while none can take it. @returns whether it was done */
  whileFree(number: number, work: () => Promise<void>): Promise<boolean>
  release(): void
}

/** Gives this tab a number that no other tab has, as long as it lives. Without locks all share the first. */
export async function claimTabSlot(options: {
  locks: Locks | undefined
  name: string
}): Promise<TabSlot> {
  const { locks } = options
  const slotKey = (number: number) => `${options.name}-${number}`
  const own: { release: () => void; number: number } = { release: () => {}, number: 0 }

  /** Keeps the lock until it is released; resolves as soon as it is known whether it is ours. */
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
      // A browser that gives no locks is one without them.
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
    release: () => own.release(),
  }
}
