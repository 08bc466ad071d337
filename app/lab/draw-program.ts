import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { createLab } from './create-lab.ts'
import { parseDeviceTrace, stepsOfDevice, traceOfDevice } from './device-trace.ts'
import type { Step } from './draw-history.ts'
import { runGroupHistory } from './group-history.ts'
import { drawPage } from './kit/history-page.ts'
import type { Trace } from './kit/trace.ts'
import { runHistory } from './run-history.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    steps: { type: 'string', default: '40' },
    /** A history of groups. */
    groups: { type: 'boolean', default: false },
    /** A file that Settings → Help of a real device has saved: drawn, and run again in the lab. */
    trace: { type: 'string' },
    out: { type: 'string', default: 'dist/lab' },
  },
})
mkdirSync(values.out, { recursive: true })
const failure = values.trace === undefined ? await runSeed() : await runTrace(values.trace)
process.stdout.write(`${failure ?? 'Every promise is kept.'}\n`)
process.exit(failure ? 1 : 0)

async function runSeed() {
  const [seed, steps] = [Number(values.seed), Number(values.steps)]
  const ofGroups = values.groups ? ' --groups' : ''
  return await run({
    name: `${values.groups ? 'groups-' : ''}seed-${seed}`,
    title: `Seed ${seed}`,
    seed,
    steps,
    command: `npm run lab --${ofGroups} --seed ${seed} --steps ${steps}`,
  })
}

async function runTrace(file: string) {
  const trace = parseDeviceTrace(readFileSync(file, 'utf8'))
  const name = basename(file, '.json')
  const command = `npm run lab -- --trace ${file}`
  const { app, wire, events } = trace
  const title = `A device's ${events.length} events, of version ${app}, protocol ${wire}`
  write(name, drawPage({ title, broken: [], trace: traceOfDevice(trace), command }))
  const replay = stepsOfDevice(trace)
  if (replay.length === 0) return undefined
  return await run({
    name: `${name}-again`,
    title: "The steps of a device's trace",
    seed: 1,
    steps: replay.length,
    replay,
    command,
  })
}

/** Draws the history as a page. @returns what is broken, in words */
async function run(options: {
  name: string
  title: string
  seed: number
  steps: number
  replay?: readonly Step[] | undefined
  command: string
}): Promise<string | undefined> {
  const { name, title, seed, steps, replay, command } = options
  let last: { trace: Trace; steps: readonly unknown[]; failure: unknown } | undefined
  const common = {
    seed,
    steps,
    createLab,
    shrinkTries: 20,
    onTrace(told: NonNullable<typeof last>) {
      // Of a history that fails: the shortest that does.
      if (!last || told.failure) last = told
    },
  }
  const running = values.groups ? runGroupHistory(common) : runHistory({ ...common, replay })
  const broken = await running.then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  )
  if (!last) throw new Error('Nothing has run.')
  const outcome = broken
    ? ` breaks a promise in ${last.steps.length} steps`
    : `: ${steps} steps, and every promise is kept`
  write(
    name,
    drawPage({
      title: `${title}${outcome}`,
      broken: broken ? [broken] : [],
      trace: last.trace,
      command,
    }),
  )
  return broken
}

function write(name: string, page: string) {
  const path = join(values.out, `${name}.html`)
  writeFileSync(path, page)
  process.stdout.write(`The history: ${path}\n`)
}
