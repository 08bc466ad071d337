import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { HistoryTold } from '../histories-program.ts'

export type TestOutcome =
  | { state: 'passed' }
  /** `by`: the first test that failed. */
  | { state: 'failed'; by: string }
  /** It exceeded its time limit. */
  | { state: 'hung' }
  /** No test ran: something does not even load. */
  | { state: 'broken'; why: string }

/** The used part of Vitest's JSON report. */
interface Told {
  testResults: {
    name: string
    message: string
    assertionResults: { fullName: string; status: string }[]
  }[]
}

/**
 * Runs test files of a checkout until one test fails.
 * @param limitMs the time limit
 * @param onStart gets the function that stops it early
 */
export async function runTests(options: {
  folder: string
  tests: readonly string[]
  limitMs: number
  onStart: (end: () => void) => void
}): Promise<TestOutcome> {
  const { folder, tests, limitMs, onStart } = options
  const results = join(folder, 'results.json')
  rmSync(results, { force: true })
  const vitest = join(folder, 'node_modules/vitest/vitest.mjs')
  const reports = ['--reporter=json', `--outputFile.json=${results}`]
  const args = [vitest, 'run', '--project', 'unit', '--bail', '1', ...reports, ...tests]
  // Its own process group: its workers end with it.
  const isGroup = process.platform !== 'win32'
  const child = spawn(process.execPath, args, { cwd: folder, stdio: 'ignore', detached: isGroup })
  const end = () => {
    if (isGroup && child.pid) process.kill(-child.pid, 'SIGKILL')
    else child.kill('SIGKILL')
  }
  onStart(end)
  const state = { isLate: false }
  const timer = setTimeout(() => {
    state.isLate = true
    end()
  }, limitMs)
  const [code] = await once(child, 'exit')
  clearTimeout(timer)
  if (state.isLate) return { state: 'hung' }
  return code === 0 ? { state: 'passed' } : readFailure(results)
}

/** Runs the lab's histories in a checkout, from seed 1 on, until one breaks a promise. */
export async function runHistories(options: {
  folder: string
  count: number
  onStart: (end: () => void) => void
}): Promise<TestOutcome> {
  const { folder, count, onStart } = options
  const child = fork(join(folder, 'app/lab/histories-program.ts'), ['1', String(count)], {
    cwd: folder,
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const end = () => void child.kill('SIGKILL')
  onStart(end)
  const told = { failure: '', seed: 0 }
  child.on('message', ({ seed, failure }: HistoryTold) => {
    told.seed = seed
    if (!failure) return
    told.failure = failure
    end()
  })
  const [code] = await once(child, 'exit')
  if (told.failure) return { state: 'failed', by: `seed ${told.seed}` }
  return code === 0 && told.seed === count
    ? { state: 'passed' }
    : { state: 'broken', why: `the histories ended after seed ${told.seed}` }
}

function readFailure(results: string): TestOutcome {
  if (!existsSync(results)) return { state: 'broken', why: 'Vitest ended without results.' }
  const { testResults }: Told = JSON.parse(readFileSync(results, 'utf8'))
  const failed = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .find(({ status }) => status === 'failed')
  if (failed) return { state: 'failed', by: failed.fullName }
  const [broken] = testResults.filter(({ message }) => message !== '')
  return { state: 'broken', why: broken ? `${broken.name}: ${broken.message}` : 'no test failed' }
}
