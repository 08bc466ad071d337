import { cpSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { unreachable } from '../../../schema/helpers/assertions.ts'
import { applyMutant } from './apply-mutant.ts'
import { listHistoryMutants, listMutants } from './list-mutants.ts'
import type { Mutant } from './lists/mutant.ts'
import { runHistories, runKitHistories, runTests, type TestOutcome } from './run-tests.ts'

const copied = ['app', 'public', 'schema', 'sync-server', '.run']

const files = ['package.json', 'README.md', 'tsconfig.json', 'vite.config.ts']

const top = fileURLToPath(new URL('../../..', import.meta.url))
/** Longer than any of these files, or one test, takes. */
const limitMs = 5 * 60_000

/**
 * Parts of paths or of names; all when empty. With `--histories 1000` so many histories of the lab look, and no test:
 * for the thirty that are chosen for it, unless others are named. `--lanes 2` looks for two at a time.
 */
const { values, positionals: wanted } = parseArgs({
  options: { histories: { type: 'string' }, lanes: { type: 'string', default: '1' } },
  allowPositionals: true,
})
const histories = Number(values.histories ?? 0)
const all = histories > 0 && wanted.length === 0 ? listHistoryMutants() : listMutants()
const mutants = all.filter(
  ({ file, name }) =>
    wanted.length === 0 || wanted.some((part) => `${file} ${name}`.includes(part)),
)
const lanes = Array.from({ length: Number(values.lanes) }, () => copyCheckout(top))
const running = new Set<() => void>()
const onStart = (end: () => void) => {
  running.add(end)
  return () => running.delete(end)
}
function removeAll() {
  for (const { remove } of lanes) remove()
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    for (const end of running) end()
    removeAll()
    process.exit(1)
  })
}

const isOfKit = ({ file }: Mutant) => file.startsWith('app/lab/kit/')
/** Seeds that pass without a fault, or do not. */
const unchanged = new Map<string, Promise<TestOutcome>>()

try {
  if (histories === 0) await tryUnchanged()
  const left = [...mutants]
  let killed = 0
  async function work({ folder }: { folder: string }) {
    for (let mutant = left.shift(); mutant; mutant = left.shift()) {
      const begun = performance.now()
      const undo = applyMutant(folder, mutant)
      const first =
        histories > 0
          ? await lookWithHistories(mutant, folder)
          : await runTests({ folder, tests: mutant.tests, limitMs, onStart })
      undo()
      const outcome = histories > 0 ? await compareUnchanged(mutant, folder, first) : first
      if (isKilled(outcome)) killed += 1
      const seconds = Math.round((performance.now() - begun) / 1_000)
      const { file, name, kind } = mutant
      console.log(`${file}: ${name} (${kind}): ${describe(outcome)}, ${seconds} s`)
    }
  }
  await Promise.all(lanes.map(work))
  console.log(`${killed} of ${mutants.length} killed`)
  process.exitCode = killed === mutants.length ? 0 : 1
} finally {
  removeAll()
}

/** Of the kit others' apps are the judge, of everything else Petrel. */
async function lookWithHistories(mutant: Mutant, folder: string): Promise<TestOutcome> {
  if (isOfKit(mutant)) return await runKitHistories({ folder, onStart })
  for (let from = 1; from <= histories; ) {
    const count = histories - from + 1
    const outcome = await runHistories({ folder, from, count, onStart })
    if (outcome.state !== 'failed') return outcome
    const { seed = from } = outcome
    const again = await runHistories({ folder, from: seed, count: 1, onStart })
    if (again.state === 'failed') return outcome
    // Once is chance: a busy machine may be late for everything.
    from = seed + 1
  }
  return { state: 'passed' }
}

/** A history that fails without the fault, too, has not found it. */
async function compareUnchanged(
  mutant: Mutant,
  folder: string,
  outcome: TestOutcome,
): Promise<TestOutcome> {
  if (outcome.state !== 'failed') return outcome
  const { seed = 0 } = outcome
  const key = isOfKit(mutant) ? 'kit' : String(seed)
  const known =
    unchanged.get(key) ??
    (isOfKit(mutant)
      ? runKitHistories({ folder, onStart })
      : runHistories({ folder, from: seed, count: 1, onStart }))
  unchanged.set(key, known)
  const without = await known
  if (without.state === 'passed') return outcome
  return { state: 'broken', why: `without the fault it is the same: ${describe(without)}` }
}

/** A test that fails without a fault would kill every mutant. */
async function tryUnchanged() {
  const [first] = lanes
  if (!first) return
  const { folder } = first
  const tests = [...new Set(mutants.flatMap((mutant) => mutant.tests))]
  console.log(`First the ${tests.length} test files without a fault.`)
  const outcome = await runTests({ folder, tests, limitMs: 6 * limitMs, onStart })
  if (outcome.state !== 'passed') throw new Error(`Without any fault: ${describe(outcome)}`)
}

function isKilled({ state }: TestOutcome): boolean {
  return state === 'failed' || state === 'hung'
}

function describe(outcome: TestOutcome): string {
  switch (outcome.state) {
    case 'passed':
      return 'SURVIVED'
    case 'failed':
      return `killed by "${outcome.by}"`
    case 'hung':
      return 'killed, as the tests never end'
    case 'broken':
      return `BROKEN, and so nothing was tested: ${outcome.why}`
    default:
      return unreachable(outcome)
  }
}

/** A copy of this checkout's files, with the same packages: changes there leave this one alone. */
function copyCheckout(top: string): { folder: string; remove: () => void } {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'petrel-mutants-')))
  for (const name of [...copied, ...files]) {
    cpSync(join(top, name), join(folder, name), { recursive: true })
  }
  symlinkSync(realpathSync(join(top, 'node_modules')), join(folder, 'node_modules'), 'junction')
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
