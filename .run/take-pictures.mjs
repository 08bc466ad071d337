// Captures every main state in both themes and widths into dist/pictures, and updates the README's
// pictures from them. Run it after a visual change, with names such as `takeList` to take only
// these.
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
