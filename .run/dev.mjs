import { spawn } from 'node:child_process'
import { installIfNeeded, toolPath, top } from './project.mjs'

await installIfNeeded()
const programs = [
  ['tsx', 'watch', '--clear-screen=false', 'sync-server/main.ts'],
  ['vite', '--clearScreen', 'false'],
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
