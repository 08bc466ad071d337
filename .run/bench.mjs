import { readdirSync } from 'node:fs'
import { buildIfNeeded } from './build.mjs'
import { ensureChromium } from './ensure-chromium.mjs'
import { installIfNeeded, runTool, top } from './project.mjs'

await installIfNeeded()
await buildIfNeeded()
const CHROMIUM_PATH = await ensureChromium()
/** Takes longer than all others together: only when it is asked for. */
const long = ['histories.bench.ts']
/** `load --pairs --app`: parts of the names of benchmarks, and the cases that one of them is asked for. */
const asked = process.argv.slice(2)
const wanted = asked.filter((one) => !one.startsWith('--'))
const cases = asked.filter((one) => one.startsWith('--')).map((one) => one.slice(2))
const benches = readdirSync(`${top}app/lab/bench`)
  .filter((file) => file.endsWith('.bench.ts'))
  .filter((file, _, all) =>
    wanted.length === 0
      ? !long.includes(file)
      : wanted.some((part) =>
          // A whole name is that one alone: `load` is not `rest-load`.
          all.includes(`${part}.bench.ts`) ? file === `${part}.bench.ts` : file.includes(part),
        ),
  )
let code = 0
for (const file of benches) {
  // A process each: no benchmark inherits another's heap or open databases.
  code = Math.max(
    code,
    await runTool('tsx', ['app/lab/bench/run-bench.ts', file, ...cases], { CHROMIUM_PATH }),
  )
}
process.exit(code)
