// Takes the README's pictures anew: run it after a change of the looks.
import { buildIfNeeded } from './build.mjs'
import { ensureChromium } from './ensure-chromium.mjs'
import { installIfNeeded, runTool } from './project.mjs'

await installIfNeeded()
await buildIfNeeded()
const CHROMIUM_PATH = await ensureChromium()
process.exit(await runTool('tsx', ['app/lab/browser/take-pictures.ts'], { CHROMIUM_PATH }))
