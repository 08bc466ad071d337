import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { HistoryTold } from '../histories-program.ts'

export type TestOutcome =
  | { state: 'passed' }
  /** `by`: the first test that failed, or the history; `seed`: the history's, or how many of the kit's ran. */
  | { state: 'failed'; by: string; seed?: number }
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

/** Takes the function that ends something early, and gives the one to call when it is over. */
type OnStart = (end: () => void) => () => void

const lastWordsMost = 4_000
/** A process releases little of a lab's memory. */
const perProcess = 25

/**
 * Runs test files of a checkout until one test fails.
 * @param limitMs the time limit
 * @param onStart gets the function that stops it early
 */
export async function runTests(options: {
  folder: string
  tests: readonly string[]
  limitMs: number
  onStart: OnStart
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
  const onEnd = onStart(end)
  const state = { isLate: false }
  const timer = setTimeout(() => {
    state.isLate = true
    end()
  }, limitMs)
  const [code] = await once(child, 'exit')
  clearTimeout(timer)
  onEnd()
  if (state.isLate) return { state: 'hung' }
  return code === 0 ? { state: 'passed' } : readFailure(results)
}

/** Runs the lab's histories in a checkout, one seed after the other, until one breaks a promise. */
export async function runHistories(options: {
  folder: string
  from: number
  count: number
  onStart: OnStart
}): Promise<TestOutcome> {
  const { folder, from, count, onStart } = options
  for (let first = from; first < from + count; first += perProcess) {
    const most = Math.min(perProcess, from + count - first)
    // What was found counts, not how short it can be.
    const args = [String(first), String(most), '0']
    const program = 'app/lab/histories-program.ts'
    const { told, code, lastWords } = await runProgram({ folder, program, args, onStart })
    if (told?.failure) {
      const { seed, failure } = told
      return { state: 'failed', by: `seed ${seed}: ${findReason(failure)}`, seed }
    }
    if (code === 0 && told?.seed === first + most - 1) continue
    if (!told && first === from) return { state: 'broken', why: findReason(lastWords) }
    // An error that nobody catches ends the server, and the whole process with it.
    const seed = told ? told.seed + 1 : first
    return { state: 'failed', by: `seed ${seed}: it ended with ${findReason(lastWords)}`, seed }
  }
  return { state: 'passed' }
}

/** Lets the kit of a checkout look for the faults that are planted in the example of the notes. */
export async function runKitHistories(options: {
  folder: string
  onStart: OnStart
}): Promise<TestOutcome> {
  const program = 'app/lab/mutants/kit-histories-program.ts'
  const { told, code, lastWords } = await runProgram({ ...options, program, args: [] })
  if (told?.failure) {
    const { seed, failure } = told
    return { state: 'failed', by: `${seed} histories of the kit: ${failure}`, seed }
  }
  return code === 0 && told ? { state: 'passed' } : { state: 'broken', why: findReason(lastWords) }
}

/** @returns the first history that fails, or the last one; `lastWords`: the end of what it printed as errors */
async function runProgram(options: {
  folder: string
  program: string
  args: readonly string[]
  onStart: OnStart
}) {
  const { folder, program, args, onStart } = options
  const child = fork(join(folder, program), args, {
    cwd: folder,
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  const end = () => void child.kill('SIGKILL')
  const onEnd = onStart(end)
  let lastWords = ''
  child.stderr?.on('data', (words) => {
    lastWords = `${lastWords}${words}`.slice(-lastWordsMost)
  })
  let told: HistoryTold | undefined
  child.on('message', (one: HistoryTold) => {
    if (told?.failure) return
    told = one
    if (one.failure) end()
  })
  const [code, signal] = await once(child, 'exit')
  onEnd()
  if (signal && !told?.failure) throw new Error(`Somebody ended the histories by ${signal}.`)
  return { told, code, lastWords }
}

/** The first line that names a promise, or what else went wrong. */
function findReason(failure: string): string {
  const lines = failure.split('\n')
  const at = lines.findIndex((line) => /Not converged|Not settled|Error/.test(line))
  return lines
    .slice(Math.max(0, at), at + 2)
    .join(' ')
    .slice(0, 240)
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
