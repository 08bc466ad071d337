// Takes every main state in both themes and widths into dist/pictures, and from them the README's pictures.
// Run it after a change of the looks, with names such as `takeList` to take only these.
import { buildIfNeeded } from './build.mjs'
import { ensureChromium } from './ensure-chromium.mjs'
import { installIfNeeded, runTool } from './project.mjs'

await installIfNeeded()
await buildIfNeeded()
const CHROMIUM_PATH = await ensureChromium()
process.exit(
  await runTool('tsx', ['app/lab/browser/pictures/take-pictures.ts', ...process.argv.slice(2)], {
    CHROMIUM_PATH,
  }),
)
