import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { relative } from 'node:path'
import { buildIfNeeded } from './build.mjs'
import { ensureChromium, ensureHeadlessShell } from './ensure-chromium.mjs'
import { ensureRedis } from './ensure-redis.mjs'
import { listRedisTests } from './list-redis-tests.mjs'
import { installIfNeeded, runTool, top } from './project.mjs'

await installIfNeeded()
await buildIfNeeded()
const shell = await ensureHeadlessShell()
const chromium = await ensureChromium()
// In CI every test has to run: there the Redis tests fail by themselves.
const left = (await ensureRedis()) || process.env.CI ? [] : listRedisTests()
mkdirSync(`${top}dist`, { recursive: true })
const asked = process.argv.slice(2)
// Side by side, as both wait for a quarter of their time.
const runs = asked.length > 0 ? [asked] : [['--project=unit'], ['--project=e2e']]
const results = await Promise.all(runs.map(runTests))
if (left.length > 0) tellLeft(left)
if (!process.env.TEST_COUCHDB_URL) {
  console.log('No CouchDB was tried but pouchdb-server: set TEST_COUCHDB_URL to try one.')
}
for (const name of results.flatMap((one) => one.failures)) console.log(`FAILED ${name}`)
const failed = sum(results.map((one) => one.failed))
console.log(`${sum(results.map((one) => one.passed))} passed, ${failed} failed`)
process.exit(failed > 0 ? 1 : Math.max(...results.map((one) => one.code)))

/**
 * Runs Vitest, and reads what came of it.
 * @param {string[]} args
 * @param {number} index the results' file differs by it
 */
async function runTests(args, index) {
  const resultsFile = `${top}dist/test-results-${index}.json`
  rmSync(resultsFile, { force: true })
  const code = await runTool(
    'vitest',
    [
      'run',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${resultsFile}`,
      ...left.map((file) => `--exclude=${file}`),
      ...args,
    ],
    { CHROMIUM_PATH: chromium, ...(shell && { CHROMIUM_SHELL_PATH: shell }) },
    { isBesideOthers: runs.length > 1 },
  )
  return { code, ...readResults(resultsFile, code) }
}

/**
 * Warns which tests a machine without Redis has skipped.
 * @param {string[]} files
 */
function tellLeft(files) {
  console.error(`
NOT EVERY TEST WAS RUN: these need the program redis-server, and there is none.
${files.map((file) => `  ${file}`).join('\n')}
Install it (\`apt-get install redis-server\`, \`brew install redis\`) to run them too.
`)
}

/**
 * Counts a file that does not load, or an error outside any test, as one failure: neither has a
 * failed test of its own.
 * @param {string} file
 * @param {number} code Vitest's exit code
 */
function readResults(file, code) {
  if (!existsSync(file)) return { passed: 0, failed: 1, failures: ['Vitest wrote no results.'] }
  /** @type {import('vitest/node').JsonTestResults} */
  const { testResults, numPassedTests } = JSON.parse(readFileSync(file, 'utf8'))
  const broken = testResults.filter(({ status }) => status === 'failed')
  const failures = broken.flatMap(({ name, assertionResults }) => {
    const titles = assertionResults.filter((test) => test.status === 'failed')
    const path = relative(top, name)
    return titles.length > 0 ? titles.map(({ title }) => `${path} > ${title}`) : [path]
  })
  const outside = code !== 0 && failures.length === 0 ? 1 : 0
  return { passed: numPassedTests, failed: failures.length + outside, failures }
}

/** @param {number[]} numbers */
function sum(numbers) {
  return numbers.reduce((total, one) => total + one, 0)
}
