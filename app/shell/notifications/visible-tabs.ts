const visibleLock = 'petrel-visible'
const electionHeldMs = 3_000

/** Lets the other tabs know that this one is in sight, by a lock that a frozen or closed tab cannot keep. */
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

/** Runs the work in one of the hidden tabs; in none while another tab is in sight. */
export async function runInOneTab(name: string, work: () => void): Promise<void> {
  const { locks } = navigator
  if (!locks) return work()
  const { held } = await locks.query()
  if (held?.some((lock) => lock.name === visibleLock)) return
  await locks.request(name, { ifAvailable: true }, async (lock) => {
    if (!lock) return
    work()
    // Held for a moment, for the tabs that hear of it later.
    await new Promise((resolve) => setTimeout(resolve, electionHeldMs))
  })
}
