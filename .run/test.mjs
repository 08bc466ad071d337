import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { buildIfNeeded } from './build.mjs'
import { ensureChromium } from './ensure-chromium.mjs'
import { installIfNeeded, runTool, top } from './project.mjs'

const resultsFile = `${top}dist/test-results.json`

await installIfNeeded()
await buildIfNeeded()
const chromium = await ensureChromium()
mkdirSync(`${top}dist`, { recursive: true })
rmSync(resultsFile, { force: true })
const code = await runTool(
  'vitest',
  [
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${resultsFile}`,
    ...process.argv.slice(2),
  ],
  { CHROMIUM_PATH: chromium },
)
const { passed, failed } = countResults()
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed > 0 ? 1 : code)

/** A file that does not load, or an error outside any test, has no failed test of its own: it counts as one. */
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
