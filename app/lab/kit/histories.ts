import { drawHistory, type Step } from './draw-history.ts'
import { drawPage } from './history-page.ts'
import {
  allEqual,
  type Held,
  type Invariant,
  type Look,
  nothingLost,
  type Write,
} from './invariants.ts'
import {
  createLab,
  type Device,
  isNoGet,
  type Lab,
  type LabOptions,
  type LabServer,
  type OpenedApp,
} from './lab.ts'
import type { Matcher } from './request-faults.ts'
import { shrinkHistory } from './shrink-history.ts'
import { createTrace, type Trace } from './trace.ts'

/** What an action may choose from: the same for the same step, also in a shorter history. */
export interface Choice {
  /** No other step of the history has it. */
  id: string
  /** From 0 to 999. */
  pick: number
  /** One of these, or undefined of none. */
  from<T>(choices: readonly T[]): T | undefined
  device: string
}

export type Action<App> = (app: App, choice: Choice) => Promise<unknown> | unknown

export interface HistoriesOptions<App extends OpenedApp>
  extends Pick<LabOptions<App>, 'open' | 'isPoll' | 'isWrite' | 'serve'> {
  /** Each of them draws another history. */
  seeds: readonly number[]
  /** How many steps each history has; 20 when absent. */
  steps?: number
  devices?: readonly string[]
  server?: string | LabServer
  /** What people do. */
  actions: Readonly<Record<string, Action<App>>>
  /** How often each action and fault is drawn; 0 leaves one out. Those that are not named: 10 an action, 3 a fault. */
  weights?: Readonly<Record<string, number>>
  invariants?: readonly Invariant[]
  /**
   * The longest that the app waits before it tries again, and some more: 500 when absent. Ten times as long has passed
   * before a failure counts.
   */
  patienceMs?: number
  quietMs?: number
  /**
   * Waits after each step until all is quiet: a seed is then the same history on any machine, however busy. What needs
   * two things in the same moment is found only without.
   */
  settlesSteps?: boolean
  /**
   * How many histories run at the same time, since most of each is waiting; 1 when absent, and with a server that
   * histories kill.
   */
  atOnce?: number
  /** How many shorter histories to try after a failure; 60 when absent. */
  shrinkTries?: number
  /** How long an action may take before the history goes on without it. */
  actionMs?: number
  /** Runs exactly these steps instead of drawing some, with the first seed. */
  replay?: readonly Numbered[]
  /** The command that runs this again, for the page; the options that do, when absent. */
  command?: (seed: number) => string
  /** Gets the history that failed, with its page to look at. */
  onFailure?: (failure: Failure) => unknown
}

/** A step with its place in the history that was drawn. */
export interface Numbered extends Step {
  n: number
}

/** A history that broke an invariant, as short as found. */
export interface Failure {
  seed: number
  steps: readonly Numbered[]
  broken: readonly string[]
  /** How many steps there were before shrinking. */
  drawn: number
  /** How many histories ran for it: until one failed, and to shorten it. */
  tried: number
  ms: number
  trace: Trace
  /** One self-contained page that shows it. */
  page: string
}

export class HistoryFailed extends Error {
  override name = 'HistoryFailed'
  readonly failure: Failure
  constructor(failure: Failure) {
    const { seed, steps, broken, drawn } = failure
    super(
      `Seed ${seed}: ${broken.join('; ')}\n${steps.length} of ${drawn} steps are enough; to run them again: ${tellAgain(seed, steps)}`,
    )
    this.failure = failure
  }
}

/** The options that run them again. */
function tellAgain(seed: number, steps: readonly Numbered[]): string {
  const told = steps.map((step) => `  ${JSON.stringify(step)},`).join('\n')
  return `seeds: [${seed}], replay: [\n${told}\n]`
}

/** @throws HistoryFailed when one of the histories breaks an invariant */
export async function tryHistories<App extends OpenedApp>(
  options: HistoriesOptions<App>,
): Promise<void> {
  const failure = await findFailure(options)
  if (!failure) return
  await options.onFailure?.(failure)
  throw new HistoryFailed(failure)
}

/** Runs a history for each seed until one breaks an invariant, and shortens that one. */
export async function findFailure<App extends OpenedApp>(
  options: HistoriesOptions<App>,
): Promise<Failure | undefined> {
  const begunAt = performance.now()
  let tried = 0
  const { patienceMs = 500 } = options
  const attempt = async (seed: number, steps: readonly Numbered[], ms: number) => {
    tried += 1
    const outcome = await runSteps({ ...options, patienceMs: ms }, seed, steps)
    return outcome.broken.length > 0 ? outcome : undefined
  }
  /** Whether data is late or lost shows only to who waits: long where it counts, short in between. */
  const patiently = (seed: number, steps: readonly Numbered[]) =>
    attempt(seed, steps, patienceMs * 10)
  const found = await findFirst(options, async (seed) => {
    const history = options.replay ?? drawSteps(options, seed)
    const failure = await patiently(seed, history)
    return failure && { seed, history, failure }
  })
  if (!found) return undefined
  const { seed, history, failure } = found
  const shrink = (tryHistory: (steps: readonly Numbered[]) => ReturnType<typeof attempt>) =>
    shrinkHistory({
      history,
      failure,
      tries: options.replay ? 0 : (options.shrinkTries ?? 60),
      tryHistory,
    })
  let smallest = await shrink((steps) => attempt(seed, steps, patienceMs))
  if (smallest.history !== history) {
    const sure = await patiently(seed, smallest.history)
    // A slow machine misled the haste of the smaller ones.
    smallest = sure
      ? { ...smallest, failure: sure }
      : await shrink((steps) => patiently(seed, steps))
  }
  const { broken, trace } = smallest.failure
  return {
    seed,
    steps: smallest.history,
    broken,
    drawn: history.length,
    tried,
    ms: Math.round(performance.now() - begunAt),
    trace,
    page: drawPage({
      title: `Seed ${seed}, ${smallest.history.length} of ${history.length} steps`,
      broken,
      trace,
      command: options.command?.(seed) ?? tellAgain(seed, smallest.history),
    }),
  }
}

/** Of the first seed, in their order, for which there is something. */
async function findFirst<App extends OpenedApp, Found>(
  { seeds, server, atOnce = 1 }: HistoriesOptions<App>,
  look: (seed: number) => Promise<Found | undefined>,
): Promise<Found | undefined> {
  // A server that one of them kills would be dead to all.
  const lanes = typeof server === 'object' ? 1 : atOnce
  const found = new Map<number, Found>()
  let next = 0
  async function work() {
    while (next < seeds.length && found.size === 0) {
      const at = next
      next += 1
      const one = await look(seeds[at] as number)
      if (one) found.set(at, one)
    }
  }
  await Promise.all(Array.from({ length: lanes }, work))
  return found.get(Math.min(...found.keys()))
}

type Fault<App extends OpenedApp> = (
  pick: number,
  all: { lab: Lab<App>; device: Device<App>; isWrite: Matcher },
) => Promise<unknown> | unknown

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** What can happen to a device or the server, whatever the app. */
const faults: Record<string, Fault<OpenedApp>> = {
  offline: (_pick, { device }) => device.network.goOffline(),
  online: (_pick, { device }) => device.network.goOnline(),
  dark: (_pick, { device }) => device.network.goDark(),
  'lose-answers': (pick, { device, isWrite }) =>
    device.network.add({ do: 'lose-response', when: isWrite, count: 1 + (pick % 3) }),
  'lose-requests': (pick, { device, isWrite }) =>
    device.network.add({ do: 'lose-request', when: isWrite, count: 1 + (pick % 3) }),
  'cut-answers': (pick, { device }) =>
    device.network.add({ do: 'cut-response', count: 1 + (pick % 2) }),
  delay: (pick, { device }) => device.network.add({ do: 'delay', upToMs: pick % 40 }, 'delay'),
  duplicate: (pick, { device, isWrite }) =>
    device.network.add({ do: 'duplicate', when: isWrite, count: 1 + (pick % 3) }),
  reorder: (pick, { device, isWrite }) =>
    device.network.add({ do: 'reorder', when: isWrite, count: 1 + (pick % 3) }),
  refuse: (pick, { device, isWrite }) =>
    device.network.add({
      do: 'answer',
      status: pick % 2 ? 503 : 429,
      count: 1 + (pick % 3),
      when: isWrite,
    }),
  'refuse-all': (pick, { device }) =>
    device.network.add({ do: 'answer', status: 503, count: 1 + (pick % 3) }),
  'cut-sockets': (_pick, { device }) => device.network.cutSockets(),
  reload: (_pick, { device }) => device.reload(),
  'disk-full': async (pick, { device }) => {
    device.disk.fillUp()
    await pause(pick % 30)
    device.disk.makeRoom()
  },
  'disk-slow': (pick, { device }) => device.disk.slowDown(pick % 60),
  'disk-fails': (pick, { device }) => device.disk.failCommits(1 + (pick % 3)),
  clock: (pick, { device }) => device.clock.set(((pick % 7) - 3) * 600_000),
  'kill-server': (_pick, { lab }) => lab.server?.kill(),
  'start-server': (_pick, { lab }) => lab.server?.start(),
  pause: (pick) => pause(pick % 120),
}
const ofServer = ['kill-server', 'start-server']
/** Apps have to bear them first; then their name in `weights` adds them. */
const rare = ['refuse-all', 'disk-full', 'disk-slow', 'disk-fails', 'clock', 'reload', 'dark']

function drawSteps<App extends OpenedApp>(
  { actions, weights = {}, steps = 20, server }: HistoriesOptions<App>,
  seed: number,
): Numbered[] {
  const isControlled = typeof server === 'object'
  const usual = Object.fromEntries([
    ...Object.keys(actions).map((name) => [name, 10]),
    ...Object.keys(faults)
      .filter((name) => (isControlled || !ofServer.includes(name)) && !rare.includes(name))
      .map((name) => [name, name === 'pause' ? 6 : name === 'online' ? 5 : 3]),
  ])
  const unknown = Object.keys(weights).filter((name) => !(name in actions) && !(name in faults))
  if (unknown.length > 0) throw new Error(`Nothing is called ${unknown.join(' or ')}.`)
  const drawn = drawHistory({ seed, steps, weights: { ...usual, ...weights } })
  return drawn.map((step, n) => ({ n, ...step }))
}

async function runSteps<App extends OpenedApp>(
  options: HistoriesOptions<App>,
  seed: number,
  steps: readonly Numbered[],
): Promise<{ broken: readonly string[]; trace: Trace }> {
  const {
    devices = ['phone', 'laptop'],
    actions,
    server,
    actionMs = 1_000,
    patienceMs = 500,
  } = options
  const { invariants = [allEqual, nothingLost], quietMs } = options
  const { isWrite = isNoGet, settlesSteps = false } = options
  const settle = () => lab.settle({ ...(quietMs && { quietMs }) })
  const trace = createTrace(devices)
  if (typeof server === 'object') await server.start()
  const lab = createLab<App>({
    ...options,
    seed,
    onExchange: trace.recordExchange,
    onFrame: trace.recordFrame,
  })
  const writes: Write[] = []
  const looks: Look[] = []

  const look = async (step: number) => {
    const held = await lab.readAll()
    looks.push({ step, held })
    trace.recordLook(step, held)
  }

  async function act(device: Device<App>, action: Action<App>, { n, pick }: Numbered) {
    const { app, name } = device
    const before = await app.read()
    const choice: Choice = {
      id: `${name}-${n}`,
      pick,
      device: name,
      from: (choices) => choices[pick % choices.length],
    }
    const acting = Promise.resolve(action(app, choice)).then(
      () => true,
      () => false,
    )
    // What failed, or still hangs, has promised nothing.
    if (!(await Promise.race([acting, pause(actionMs).then(() => false)]))) return
    writes.push(...compare(before, await app.read(), { step: n, device: name }))
  }

  try {
    for (const name of devices) await lab.device(name)
    await settle()
    await look(-1)
    for (const step of steps) {
      const device = lab.devices[step.device % lab.devices.length] as Device<App>
      trace.recordStep(step.n, device.name, step.do)
      const action = actions[step.do]
      const fault = faults[step.do] as Fault<App> | undefined
      if (action) await act(device, action, step)
      else if (fault) await fault(step.pick, { lab, device, isWrite })
      else throw new Error(`Nothing is called ${step.do}.`)
      if (settlesSteps) await settle()
      await look(step.n)
    }
    if (typeof server === 'object') await server.start()
    for (const { disk, network } of lab.devices) {
      disk.makeRoom()
      network.calm()
    }
    const calmAt = performance.now()
    trace.recordStep(-1, undefined, 'all faults end')
    for (;;) {
      await settle()
      await look(Number.MAX_SAFE_INTEGER)
      const broken = invariants.flatMap((invariant) => invariant({ writes, looks }))
      if (broken.length === 0 || performance.now() - calmAt > patienceMs) {
        return { broken, trace: trace.read() }
      }
    }
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error)
    return { broken: [`It failed: ${words}`], trace: trace.read() }
  } finally {
    await lab.close()
  }
}

function compare(before: Held, after: Held, of: { step: number; device: string }): Write[] {
  const ids = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...ids].flatMap((id) =>
    JSON.stringify(before[id]) === JSON.stringify(after[id])
      ? []
      : [{ ...of, id, before: before[id], after: after[id] }],
  )
}
