import { installIfNeeded, runTool } from './project.mjs'

await installIfNeeded()
process.exit(await runTool('tsx', ['sync-server/tools/templates-program.ts']))
