import { cpSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { unreachable } from '../../../schema/helpers/assertions.ts'
import { applyMutant } from './apply-mutant.ts'
import { listMutants } from './list-mutants.ts'
import { runHistories, runTests, type TestOutcome } from './run-tests.ts'

const copied = ['app', 'public', 'schema', 'sync-server', '.run']

const files = ['package.json', 'README.md', 'tsconfig.json', 'vite.config.ts']

const top = fileURLToPath(new URL('../../..', import.meta.url))
/** Longer than any of these files, or one test, takes. */
const limitMs = 5 * 60_000

/** Parts of paths or of names; all when empty. With `--histories 100` so many histories of the lab look, and no test. */
const { values, positionals: wanted } = parseArgs({
  options: { histories: { type: 'string' } },
  allowPositionals: true,
})
const histories = Number(values.histories ?? 0)
const mutants = listMutants().filter(
  ({ file, name }) =>
    wanted.length === 0 || wanted.some((part) => `${file} ${name}`.includes(part)),
)
const { folder, remove } = copyCheckout(top)
const running = { end: () => {} }
const onStart = (end: () => void) => Object.assign(running, { end })
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    running.end()
    remove()
    process.exit(1)
  })
}

try {
  if (histories === 0) await tryUnchanged()
  let killed = 0
  for (const mutant of mutants) {
    const undo = applyMutant(folder, mutant)
    const begun = performance.now()
    const outcome =
      histories > 0
        ? await runHistories({ folder, count: histories, onStart })
        : await runTests({ folder, tests: mutant.tests, limitMs, onStart })
    undo()
    if (isKilled(outcome)) killed += 1
    const seconds = Math.round((performance.now() - begun) / 1_000)
    const { file, name, kind } = mutant
    console.log(`${file}: ${name} (${kind}): ${describe(outcome)}, ${seconds} s`)
  }
  console.log(`${killed} of ${mutants.length} killed`)
  process.exitCode = killed === mutants.length ? 0 : 1
} finally {
  remove()
}

/** A test that fails without a fault would kill every mutant. */
async function tryUnchanged() {
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
