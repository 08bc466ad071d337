import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { runOrExit, toolPath, top } from './project.mjs'

const shared = ['schema', 'vite.config.ts', 'tsconfig.json', 'package-lock.json']
const parts = [
  { name: 'app', sources: ['app', 'public', ...shared], options: [] },
  {
    name: 'server',
    sources: ['sync-server', ...shared],
    options: ['--ssr', 'sync-server/main.ts'],
  },
]

/**
 * Builds dist/app and dist/server where a source differs from the last build's.
 * @param {readonly ('app' | 'server')[]} [names] only these
 */
export async function buildIfNeeded(names = ['app', 'server']) {
  for (const part of parts.filter(({ name }) => names.some((one) => one === name))) {
    const stamp = stampSources(part.sources)
    const stampFile = `${top}dist/${part.name}.stamp`
    if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) continue
    await buildPart(part)
    writeFileSync(stampFile, stamp)
  }
}

/**
 * Builds into a separate folder and then swaps it in, so that a broken build never replaces a good
 * one.
 * @param {{ name: string, options: string[] }} part
 */
async function buildPart({ name, options }) {
  const [built, aside] = [`${top}dist/${name}`, `${top}dist/${name}.${process.pid}`]
  mkdirSync(`${top}dist`, { recursive: true })
  const args = ['build', '--logLevel', 'warn', '--outDir', aside, ...options]
  // A test run's NODE_ENV would build React's slow development version into the app.
  await runOrExit(toolPath('vite'), args, { NODE_ENV: 'production' })
  rmSync(built, { recursive: true, force: true })
  renameSync(aside, built)
}

/** @param {string[]} sources */
function stampSources(sources) {
  const hash = createHash('sha256')
  for (const path of sources.flatMap(listFiles)) {
    const { size, mtimeMs } = statSync(top + path)
    hash.update(`${path} ${size} ${mtimeMs}\n`)
  }
  return hash.digest('hex')
}

/**
 * The source files of a build, relative to the top folder, in a fixed order.
 * @param {string} path
 */
function listFiles(path) {
  if (!existsSync(top + path)) return []
  if (!statSync(top + path).isDirectory()) return [path]
  return readdirSync(top + path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.(test|e2e|bench|contract)\.tsx?$/.test(entry.name))
    .map((entry) => `${entry.parentPath}/${entry.name}`.slice(top.length))
    .filter((file) => !file.startsWith('app/lab/'))
    .sort()
}
