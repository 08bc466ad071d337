import type { LabPerson } from '../device/lab-person.ts'
import { findUnsettled } from './find-unsettled.ts'

const lookAgainMs = 50
/** A look reads everything that everybody has: the work that it waits for gets most of the time. */
const pauseForEachLook = 2

export interface Patience {
  /** Shorter than a long poll: its end must not mask a lost signal. */
  stillMs: number
  withinMs: number
  /** Other pending work, in words. */
  findMore: () => Promise<readonly string[]>
}

/**
 * Waits until nothing is under way anywhere. Two checks in a row must find nothing: imminent work
 * appears in between.
 *
 * @throws with the pending work when it has not moved for `stillMs`, or has not ended after
 * `withinMs`
 */
export async function waitUntilSettled(
  people: readonly LabPerson[],
  { stillMs = 20_000, withinMs = 100_000, findMore }: Partial<Patience> = {},
): Promise<void> {
  const begunAt = performance.now()
  let [movedAt, before, quietLooks] = [begunAt, '', 0]
  for (;;) {
    const lookedAt = performance.now()
    const more = (await findMore?.()) ?? []
    const unsettled = [...(await findUnsettled(people)), ...more].join('\n')
    quietLooks = unsettled === '' ? quietLooks + 1 : 0
    if (quietLooks === 2) return
    const now = performance.now()
    if (unsettled !== before) movedAt = now
    before = unsettled
    if (now - movedAt > stillMs || now - begunAt > withinMs) {
      throw new Error(`Not settled after ${Math.round(now - begunAt)} ms:\n${unsettled}`)
    }
    const pauseMs = Math.max(lookAgainMs, pauseForEachLook * (now - lookedAt))
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}
