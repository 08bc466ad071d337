const visibleLock = 'petrel-visible'
const electionHeldMs = 3_000

/**
 * Tells the other tabs that this one is visible, by a lock that a frozen or closed tab cannot hold.
 */
export function holdWhileVisible(): () => void {
  const { locks } = navigator
  if (!locks) return () => {}
  let end: (() => void) | undefined

  function update() {
    if (document.visibilityState !== 'visible') {
      end?.()
      end = undefined
    } else if (!end) {
      const inSight = new Promise<void>((resolve) => {
        end = resolve
      })
      void locks.request(visibleLock, { mode: 'shared' }, () => inSight)
    }
  }

  document.addEventListener('visibilitychange', update)
  update()
  return () => {
    document.removeEventListener('visibilitychange', update)
    end?.()
  }
}

/** Runs the work in one hidden tab; in none while another tab is visible. */
export async function runInOneTab(name: string, work: () => void): Promise<void> {
  const { locks } = navigator
  if (!locks) return work()
  const { held } = await locks.query()
  if (held?.some((lock) => lock.name === visibleLock)) return
  await locks.request(name, { ifAvailable: true }, async (lock) => {
    if (!lock) return
    work()
    // Holds the lock for a moment, for tabs that get the event later.
    await new Promise((resolve) => setTimeout(resolve, electionHeldMs))
  })
}
