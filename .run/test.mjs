import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { buildIfNeeded } from './build.mjs'
import { ensureChromium, ensureHeadlessShell } from './ensure-chromium.mjs'
import { ensureRedis } from './ensure-redis.mjs'
import { listRedisTests } from './list-redis-tests.mjs'
import { installIfNeeded, runTool, top } from './project.mjs'

const resultsFile = `${top}dist/test-results.json`

await installIfNeeded()
await buildIfNeeded()
const shell = await ensureHeadlessShell()
const chromium = await ensureChromium()
// In CI every test has to run: there the Redis tests fail by themselves.
const left = (await ensureRedis()) || process.env.CI ? [] : listRedisTests()
mkdirSync(`${top}dist`, { recursive: true })
rmSync(resultsFile, { force: true })
const code = await runTool(
  'vitest',
  [
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${resultsFile}`,
    ...left.map((file) => `--exclude=${file}`),
    ...process.argv.slice(2),
  ],
  { CHROMIUM_PATH: chromium, ...(shell && { CHROMIUM_SHELL_PATH: shell }) },
)
const { passed, failed } = countResults()
if (left.length > 0) tellLeft(left)
if (!process.env.TEST_COUCHDB_URL) {
  console.log('No CouchDB was tried but pouchdb-server: set TEST_COUCHDB_URL to try one.')
}
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed > 0 ? 1 : code)

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
 */
function countResults() {
  if (!existsSync(resultsFile)) return { passed: 0, failed: 1 }
  /** @type {import('vitest/node').JsonTestResults} */
  const results = JSON.parse(readFileSync(resultsFile, 'utf8'))
  const brokenFiles = results.testResults.filter(
    (file) =>
      file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  )
  const failed = results.numFailedTests + brokenFiles.length
  return { passed: results.numPassedTests, failed: code === 0 ? failed : Math.max(failed, 1) }
}
