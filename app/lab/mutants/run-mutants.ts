import type { ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { applyMutant } from './apply-mutant.ts'
import { copyCheckout } from './copy-checkout.ts'
import { listMutants } from './list-mutants.ts'
import { runTests } from './run-tests.ts'

const top = fileURLToPath(new URL('../../..', import.meta.url))
/** Longer than any of these files takes, and than one test may take. */
const limitMs = 5 * 60_000

const wanted = process.argv.slice(2)
const mutants = listMutants().filter(
  ({ file, name }) =>
    wanted.length === 0 || wanted.some((part) => `${file} ${name}`.includes(part)),
)
const { folder, remove } = copyCheckout(top)
let running: ChildProcess | undefined
function onStart(child: ChildProcess) {
  running = child
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    running?.kill('SIGKILL')
    remove()
    process.exit(1)
  })
}

let killed = 0
try {
  await tryUnchanged()
  for (const mutant of mutants) {
    const undo = applyMutant(folder, mutant)
    const begun = performance.now()
    const outcome = await runTests({ folder, tests: mutant.tests, limitMs, onStart })
    undo()
    const seconds = Math.round((performance.now() - begun) / 1_000)
    if (outcome.state !== 'passed') killed += 1
    const by = outcome.state === 'failed' ? `by "${outcome.by}"` : 'by hanging'
    const told = outcome.state === 'passed' ? 'SURVIVED' : `killed ${by}`
    console.log(`${mutant.file}: ${mutant.name} (${mutant.kind}): ${told}, ${seconds} s`)
  }
} finally {
  remove()
}
console.log(`${killed} of ${mutants.length} killed`)
process.exit(killed === mutants.length ? 0 : 1)

/** A test that fails without any fault would kill every one. */
async function tryUnchanged() {
  const tests = [...new Set(mutants.flatMap((mutant) => mutant.tests))]
  const outcome = await runTests({ folder, tests, limitMs: 6 * limitMs, onStart })
  if (outcome.state === 'passed') return
  const why = outcome.state === 'failed' ? outcome.by : 'they hang'
  throw new Error(`These tests fail without any fault: ${why}`)
}
