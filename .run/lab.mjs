// `npm run lab -- --seed 7`: runs one history of the sync lab, and draws it as a page in dist/lab.
import { installIfNeeded, runTool } from './project.mjs'

await installIfNeeded()
process.exit(await runTool('tsx', ['app/lab/draw-program.ts', ...process.argv.slice(2)]))
