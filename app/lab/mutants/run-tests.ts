import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

export type TestOutcome =
  | { state: 'passed' }
  /** `by`: the first test that failed, or what was said where none did. */
  | { state: 'failed'; by: string }
  | { state: 'late' }

/** What Vitest's JSON reporter writes, as far as it is read here. */
interface Told {
  testResults: {
    name: string
    message: string
    status: string
    assertionResults: { fullName: string; status: string }[]
  }[]
}

/** Runs test files of a checkout until one test fails. After `limitMs` it is ended: whatever waits so long hangs. */
export async function runTests(options: {
  folder: string
  tests: readonly string[]
  limitMs: number
  onStart: (child: ChildProcess) => void
}): Promise<TestOutcome> {
  const { folder, tests, limitMs, onStart } = options
  const results = join(folder, 'results.json')
  rmSync(results, { force: true })
  const vitest = join(folder, 'node_modules/vitest/vitest.mjs')
  const reports = ['--reporter=json', `--outputFile.json=${results}`]
  const args = [vitest, 'run', '--project', 'unit', '--bail', '1', ...reports, ...tests]
  const child = spawn(process.execPath, args, { cwd: folder, stdio: 'ignore' })
  onStart(child)
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    child.kill('SIGKILL')
  }, limitMs)
  const [code] = await once(child, 'exit')
  clearTimeout(timer)
  if (isLate) return { state: 'late' }
  if (code === 0) return { state: 'passed' }
  return { state: 'failed', by: findFailure(results) }
}

function findFailure(results: string): string {
  if (!existsSync(results)) return 'Vitest ended without results.'
  const { testResults }: Told = JSON.parse(readFileSync(results, 'utf8'))
  const failed = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .find(({ status }) => status === 'failed')
  if (failed) return failed.fullName
  const [broken] = testResults.filter(({ status }) => status === 'failed')
  return broken ? `${broken.name}: ${broken.message}` : 'an error outside any test'
}
