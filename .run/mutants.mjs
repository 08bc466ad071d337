// Changes one thing after the other in a copy of the code, and tells which of these changes the tests notice.
// Parts of paths or of names narrow it: `npm run mutants -- app/database`.
import { installIfNeeded, runTool } from './project.mjs'

await installIfNeeded()
process.exit(await runTool('tsx', ['app/lab/mutants/run-mutants.ts', ...process.argv.slice(2)]))
