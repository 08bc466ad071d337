import { installIfNeeded, runTool } from './project.mjs'

await installIfNeeded()
const port = process.argv.slice(2)
process.exit(
  await runTool('tsx', ['sync-server/tools/whatsapp-emulator/emulator-program.ts', ...port]),
)
