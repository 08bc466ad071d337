import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { buildIfNeeded } from './build.mjs'
import { installIfNeeded, top } from './project.mjs'

/** What the built server loads from node_modules; a test looks. The bundles hold everything else. */
const carried = ['bcryptjs', 'classic-level']
/** The sources of what travels prebuilt. */
const isSource = /^classic-level\/(deps|src|binding\.gyp|binding\.cc)/

/** @param {string} path */
const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'))

/**
 * A package and what it needs, each by its folder in node_modules.
 * @param {string} name
 * @returns {string[]}
 */
function listNeeded(name) {
  const { dependencies = {} } = readJson(`${top}node_modules/${name}/package.json`)
  return [name, ...Object.keys(dependencies).flatMap(listNeeded)]
}

/** The folder that is packed: what runs, and a manifest of its own that asks no registry for anything. */
function stage() {
  const folder = `${top}dist/package`
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const part of ['app', 'server']) {
    cpSync(`${top}dist/${part}`, `${folder}/dist/${part}`, {
      recursive: true,
      filter: (path) => !path.endsWith('.map'),
    })
  }
  chmodSync(`${folder}/dist/server/main.js`, 0o755)
  for (const file of ['README.md', 'LICENSE', '.github/CHANGELOG.md']) {
    cpSync(top + file, join(folder, basename(file)))
  }
  for (const name of new Set(carried.flatMap(listNeeded))) {
    const from = `${top}node_modules/`
    cpSync(from + name, `${folder}/node_modules/${name}`, {
      recursive: true,
      filter: (path) => !isSource.test(path.slice(from.length)),
    })
  }
  const { version, description, license, engines, type } = readJson(`${top}package.json`)
  const versions = carried.map((name) => {
    const { version: exact } = readJson(`${top}node_modules/${name}/package.json`)
    return [name, exact]
  })
  const manifest = {
    name: 'petrel',
    ...{ version, description, license, engines, type },
    bin: { petrel: 'dist/server/main.js' },
    dependencies: Object.fromEntries(versions),
    bundleDependencies: carried,
  }
  writeFileSync(`${folder}/package.json`, `${JSON.stringify(manifest, null, 2)}\n`)
  return folder
}

/** @param {string} destination */
function pack(destination) {
  const { stdout, status } = spawnSync(
    'npm',
    ['pack', '--json', '--pack-destination', destination],
    {
      cwd: stage(),
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
      shell: process.platform === 'win32',
    },
  )
  if (status !== 0) {
    console.error('Nothing was packed: see above.')
    process.exit(status ?? 1)
  }
  const [{ filename, size, unpackedSize }] = JSON.parse(stdout)
  const inMegabytes = (/** @type {number} */ bytes) => `${(bytes / 1e6).toFixed(1)} MB`
  console.log(`${filename}: ${inMegabytes(size)}, ${inMegabytes(unpackedSize)} on disk`)
  console.log(`Run it on any machine with Node: npx ./${filename}`)
}

await installIfNeeded()
await buildIfNeeded()
pack(resolve(process.argv[2] ?? top))
