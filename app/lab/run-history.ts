import { inspect } from 'node:util'
import { drawHistory, type Step } from './draw-history.ts'
import { shrinkHistory } from './kit/shrink-history.ts'
import { createTrace, type Trace, type TraceRecorder } from './kit/trace.ts'
import type { Lab, LabOptions } from './lab.ts'
import { enterEverywhere, takeStep } from './take-step.ts'

const readyLookMs = 50

export interface HistoryOptions {
  seed: number
  /** How many steps to draw. */
  steps: number
  /** Draws these events alone. */
  only?: readonly Step['do'][]
  createLab: (options: LabOptions) => Promise<Lab>
  /** Runs these instead of drawing some. */
  replay?: readonly Step[] | undefined
  /** How many shorter histories to try after a failure; 0 reports the failure immediately. */
  shrinkTries?: number
  /** Gets what happened in each history that ran, with its failure. */
  onTrace?: (told: { trace: Trace; steps: readonly Step[]; failure: unknown }) => void
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
  const history = options.replay ?? drawHistory({ ...options, hasChannel: hasChannel(seed) })
  const failure = await tryHistory(options, history)
  if (!failure) return
  throw await shrinkFailure({
    seed,
    history,
    failure,
    tries: shrinkTries,
    tryHistory: (steps) => tryHistory(options, steps),
  })
}

/** Tells the shortest history found that fails. */
export async function shrinkFailure<Step>(given: {
  seed: number
  history: readonly Step[]
  failure: unknown
  /** How many shorter histories to try. */
  tries: number
  tryHistory: (history: readonly Step[]) => Promise<unknown>
}): Promise<HistoryFailed> {
  const smallest = await shrinkHistory(given)
  const steps = smallest.history.map((step) => JSON.stringify(step)).join('\n')
  const words = `Seed ${given.seed} breaks a promise with these ${smallest.history.length} steps:\n${steps}`
  return new HistoryFailed(`${words}\n${messageOf(smallest.failure)}`, { cause: smallest.failure })
}

/** A third of the labs has a business channel. */
const hasChannel = (seed: number) => seed % 3 === 0

/** In half of the labs Ann and Ben write sealed, in all four combinations with `isAtomic`. */
const hasKeys = (seed: number) => Math.floor(seed / 2) % 2 === 0

/** The broken promises, or undefined. */
async function tryHistory(options: HistoryOptions, history: readonly Step[]): Promise<unknown> {
  const { seed } = options
  // Half of the labs write like a CouchDB: copy after copy, so that a crash falls in between.
  const trace = options.onTrace && createTrace(deviceNames)
  const lab = await options.createLab({
    seed,
    trace,
    isAtomic: seed % 2 === 0,
    hasChannel: hasChannel(seed),
  })
  try {
    const [ann, ben, cem] = [
      await lab.person('ann', { hasKeys: hasKeys(seed) }),
      await lab.person('ben', { hasKeys: hasKeys(seed) }),
      await lab.person('cem', { hasKeys: seed % 5 === 0 }),
    ]
    await ann.device()
    await ann.device({ clockAheadMs: 2 * 60 * 60 * 1000 })
    await ben.device({ clockAheadMs: -2 * 60 * 60 * 1000 })
    await ben.device()
    await cem.device()
    await lab.channel?.open({ serverUrl: lab.server.url, operator: ann })
    // From here on every clock follows the server's.
    await lab.settle()
    for (const [index, step] of history.entries()) {
      trace?.recordStep(index, deviceOf(step), step.do)
      await takeStep(lab, step)
      if (trace) await recordLook(trace, index, lab)
    }
    trace?.recordStep(-1, undefined, 'all faults end')
    lab.server.disk.makeRoom()
    await lab.server.start()
    await waitUntilReady(lab.server.url)
    for (const device of lab.people.flatMap((person) => person.devices)) device.network.calm()
    await enterEverywhere(lab)
    await lab.settle({ areFaultsOver: true })
    if (trace) await recordLook(trace, history.length, lab)
    await lab.expectConverged()
    if (trace) options.onTrace?.({ trace: trace.read(), steps: history, failure: undefined })
    return undefined
  } catch (failure) {
    if (trace) options.onTrace?.({ trace: trace.read(), steps: history, failure })
    return failure
  } finally {
    await lab.close()
  }
}

/** Of the five devices that each of these labs has. */
const deviceNames = ['ann-1', 'ann-2', 'ben-1', 'ben-2', 'cem-1']

function deviceOf(step: Step): string | undefined {
  return 'device' in step ? deviceNames[step.device % deviceNames.length] : undefined
}

/** Each message's text and status, on each device. */
export async function recordLook(trace: TraceRecorder, step: number, lab: Lab) {
  const devices = lab.people.flatMap((person) => person.devices)
  const looks = devices.map(async (device) => {
    const { messages } = await device.stored()
    const told = [...messages.values()].map(
      ({ _id, content, status, deletedAt }) =>
        [_id, `${status}: ${deletedAt === undefined ? content : 'deleted'}`] as const,
    )
    return [device.name, Object.fromEntries(told)] as const
  })
  trace.recordLook(step, new Map(await Promise.all(looks)))
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
