import { inspect } from 'node:util'
import { drawHistory, type Step } from './draw-history.ts'
import type { Lab, LabOptions } from './lab.ts'
import { shrinkHistory } from './shrink-history.ts'
import { takeStep } from './take-step.ts'

const readyLookMs = 50

export interface HistoryOptions {
  seed: number
  /** How many steps to draw. */
  steps: number
  createLab: (options: LabOptions) => Promise<Lab>
  /** How many shorter histories to try after a failure; 0 reports the failure immediately. */
  shrinkTries?: number
}

/** A history that broke a promise, as short as found. */
class HistoryFailed extends Error {
  override name = 'HistoryFailed'
}

/**
 * Draws a history of actions and faults, runs it in its own lab, ends every fault, waits until all
 * has settled, and checks the promises. Shrinks a failing history.
 *
 * @throws HistoryFailed with the seed, the remaining steps, and the broken promises
 */
export async function runHistory(options: HistoryOptions): Promise<void> {
  const { seed, shrinkTries = 60 } = options
  const history = drawHistory({ ...options, hasChannel: hasChannel(seed) })
  const failure = await tryHistory(options, history)
  if (!failure) return
  const smallest = await shrinkHistory({
    history,
    failure,
    tries: shrinkTries,
    tryHistory: (steps) => tryHistory(options, steps),
  })
  const steps = smallest.history.map((step) => JSON.stringify(step)).join('\n')
  const words = `Seed ${seed} breaks a promise with these ${smallest.history.length} steps:\n${steps}`
  throw new HistoryFailed(`${words}\n${messageOf(smallest.failure)}`, { cause: smallest.failure })
}

/** A third of the labs has a business channel. */
const hasChannel = (seed: number) => seed % 3 === 0

/** The broken promises, or undefined. */
async function tryHistory(options: HistoryOptions, history: readonly Step[]): Promise<unknown> {
  const { seed } = options
  // Half of the labs write like a CouchDB: copy after copy, so that a crash falls in between.
  const lab = await options.createLab({
    seed,
    isAtomic: seed % 2 === 0,
    hasChannel: hasChannel(seed),
  })
  try {
    const [ann, ben, cem] = [
      await lab.person('ann'),
      await lab.person('ben'),
      await lab.person('cem'),
    ]
    await ann.device()
    await ann.device({ clockAheadMs: 2 * 60 * 60 * 1000 })
    await ben.device({ clockAheadMs: -2 * 60 * 60 * 1000 })
    await ben.device()
    await cem.device()
    await lab.channel?.open({ serverUrl: lab.server.url, operator: ann })
    // From here on every clock follows the server's.
    await lab.settle()
    for (const step of history) await takeStep(lab, step)
    lab.server.disk.makeRoom()
    await lab.server.start()
    await waitUntilReady(lab.server.url)
    for (const device of lab.people.flatMap((person) => person.devices)) device.network.calm()
    await lab.settle()
    await lab.expectConverged()
    return undefined
  } catch (failure) {
    return failure
  } finally {
    await lab.close()
  }
}

/** A device that is still refused now would wait before its retry. */
async function waitUntilReady(serverUrl: string) {
  while (!(await fetch(`${serverUrl}/readyz`)).ok) {
    await new Promise((resolve) => setTimeout(resolve, readyLookMs))
  }
}

/** With its causes: what failed unseen stands there. */
function messageOf(failure: unknown): string {
  return inspect(failure, { depth: 5 })
}
