import { spawn } from 'node:child_process'
import { installIfNeeded, toolPath, top } from './project.mjs'

await installIfNeeded()
const programs = [
  ['tsx', 'watch', '--clear-screen=false', 'sync-server/main.ts'],
  // `npm run dev -- --port 5174` says where the app is served, PORT where the server is.
  ['vite', '--clearScreen', 'false', ...process.argv.slice(2)],
]
const children = programs.map(([name = '', ...args]) =>
  spawn(toolPath(name), args, { cwd: top, stdio: 'inherit' }),
)
process.on('SIGINT', () => endAll())
process.on('SIGTERM', () => endAll())
for (const child of children) child.once('exit', () => endAll())

function endAll() {
  for (const child of children) child.kill()
}
