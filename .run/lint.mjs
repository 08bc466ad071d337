import { installIfNeeded, runTool } from './project.mjs'

await installIfNeeded()
/** @type {[string, string[]][]} */
const checks = [
  ['tsc', ['--noEmit']],
  ['biome', ['check', '--error-on-warnings', '--max-diagnostics=100', '.']],
  ['knip', ['--config', '.run/knip.json']],
]
/** @type {string[]} */
const broken = []
for (const [name, args] of checks) {
  if ((await runTool(name, args)) !== 0) broken.push(name)
}
console.log(broken.length === 0 ? 'lint: clean' : `lint: ${broken.join(', ')} found something`)
process.exit(broken.length === 0 ? 0 : 1)
