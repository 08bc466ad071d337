import { readdirSync } from 'node:fs'
import { buildIfNeeded } from './build.mjs'
import { ensureChromium } from './ensure-chromium.mjs'
import { installIfNeeded, runTool, top } from './project.mjs'

await installIfNeeded()
await buildIfNeeded()
const CHROMIUM_PATH = await ensureChromium()
/** Takes longer than all others together: runs only on request. */
const long = ['histories.bench.ts']
/** `load --pairs --app`: parts of benchmark names, and the cases to run of one benchmark. */
const asked = process.argv.slice(2)
const wanted = asked.filter((one) => !one.startsWith('--'))
const cases = asked.filter((one) => one.startsWith('--')).map((one) => one.slice(2))
const benches = readdirSync(`${top}app/lab/bench`)
  .filter((file) => file.endsWith('.bench.ts'))
  .filter((file, _, all) =>
    wanted.length === 0
      ? !long.includes(file)
      : wanted.some((part) =>
          // An exact name selects only that benchmark: `load` is not `rest-load`.
          all.includes(`${part}.bench.ts`) ? file === `${part}.bench.ts` : file.includes(part),
        ),
  )
let code = 0
for (const file of benches) {
  // One process each: no benchmark inherits another's heap or open databases.
  code = Math.max(
    code,
    await runTool('tsx', ['app/lab/bench/run-bench.ts', file, ...cases], { CHROMIUM_PATH }),
  )
}
process.exit(code)
