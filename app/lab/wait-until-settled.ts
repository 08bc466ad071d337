import type { LabPerson } from './create-lab-person.ts'
import { findUnsettled } from './find-unsettled.ts'

const lookAgainMs = 25

/**
 * Waits until nothing is under way anywhere. Two looks in a row must find nothing: what is about to begin
 * shows itself between them.
 *
 * @throws with what is still under way after `withinMs`.
 */
export async function waitUntilSettled(
  people: readonly LabPerson[],
  withinMs: number,
): Promise<void> {
  const end = performance.now() + withinMs
  let quietLooks = 0
  for (;;) {
    const unsettled = await findUnsettled(people)
    quietLooks = unsettled.length === 0 ? quietLooks + 1 : 0
    if (quietLooks === 2) return
    if (performance.now() > end) {
      throw new Error(`Not settled after ${withinMs} ms:\n${unsettled.join('\n')}`)
    }
    await new Promise((resolve) => setTimeout(resolve, lookAgainMs))
  }
}
