// Applies one mutant after the other to a copy of the code, and reports which ones the tests kill.
// Parts of paths or names select mutants: `npm run mutants -- app/database`.
import { installIfNeeded, runTool } from './project.mjs'

await installIfNeeded()
process.exit(await runTool('tsx', ['app/lab/mutants/run-mutants.ts', ...process.argv.slice(2)]))
