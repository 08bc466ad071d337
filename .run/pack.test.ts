import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { builtinModules } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { waitUntil } from '../app/lab/browser/wait-until.ts'
import { version } from '../schema/api/version.ts'
import { findFreePort } from '../sync-server/lib/testing/find-free-port.ts'
import { buildIfNeeded } from './build.mjs'
import { serverOptions, top } from './project.mjs'

const manifest = JSON.parse(readFileSync(`${top}package.json`, 'utf8'))

beforeAll(() => buildIfNeeded(), 240_000)

async function makeFolder(name: string) {
  const folder = await mkdtemp(join(tmpdir(), `petrel-${name}-`))
  onTestFinished(() =>
    rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }),
  )
  return folder
}

async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name))
}

/** Installs the packed file, from an empty cache and without a registry. */
async function installPacked() {
  const folder = await makeFolder('packed')
  const packing = ['.run/pack.mjs', folder]
  const packed = spawnSync(process.execPath, packing, { cwd: top, encoding: 'utf8' })
  expect(packed.stderr).not.toContain('Nothing was packed')
  const file = join(folder, `petrel-${version}.tgz`)
  const installing = ['install', '--offline', '--cache', join(folder, 'cache'), '--prefix', folder]
  const installed = spawnSync('npm', [...installing, file], { cwd: folder, encoding: 'utf8' })
  expect(installed.status, installed.stderr).toBe(0)
  return { folder, file, bin: join(folder, 'node_modules/.bin/petrel') }
}

test('the packed file installs from an empty cache without a network, takes part in nothing of the checkout, and serves', async () => {
  const { folder, file, bin } = await installPacked()
  expect((await stat(file)).size).toBeLessThan(12e6)
  const files = await listFiles(join(folder, 'node_modules'))
  const sizes = await Promise.all(files.map(async (one) => (await stat(one)).size))
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(60e6)
  const packages = await readdir(join(folder, 'node_modules/petrel/node_modules'))
  expect(packages.filter((name) => name in manifest.devDependencies)).toEqual([])

  const port = await findFreePort()
  const child = spawn(bin, ['--port', String(port)], {
    cwd: folder,
    env: { PATH: process.env.PATH, LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const origin = `http://localhost:${port}`
  const ask = () => fetch(`${origin}/healthz`).catch(() => undefined)
  await waitUntil('it answers /healthz', async () => (await ask())?.ok === true, 90_000)
  expect(await (await ask())?.json()).toEqual({ status: 'ok', version })
  const page = await fetch(`${origin}/chat`, { headers: { accept: 'text/html' } })
  expect(await page.text()).toContain('<title>Petrel</title>')
  const registered = await fetch(`${origin}/api/auth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'Ann', email: 'ann@example.org', password: 'a secret' }),
  })
  expect(registered.status).toBe(201)
  child.kill('SIGTERM')
  const [code] = await once(child, 'exit')
  expect(code).toBe(0)
  // Beside where it was started, as the README says.
  expect(await readdir(join(folder, 'data'))).toContain('store')
}, 240_000)

test('the command has the options of Node that `npm start` has', () => {
  const [first] = readFileSync(`${top}dist/server/main.js`, 'utf8').split('\n')
  expect(first).toBe(`#!/usr/bin/env -S MALLOC_ARENA_MAX=2 node ${serverOptions.join(' ')}`)
})

test('the packed file carries what the built server loads and does not contain', async () => {
  const scripts = (await listFiles(`${top}dist/server`)).filter((file) => file.endsWith('.js'))
  const loaded = scripts.flatMap((file) => {
    const text = readFileSync(file, 'utf8')
    const found = text.matchAll(
      /^import (?:[^'"\n]+ from )?"([^".][^"]*)"|\(import\.meta\.url\)\.resolve\(['"]([\w@/-]+)['"]\)/gm,
    )
    return [...found].map(([, imported, resolved]) => imported ?? resolved ?? '')
  })
  const isOurs = (name: string) => !name.startsWith('node:') && !builtinModules.includes(name)
  const packing = readFileSync(`${top}.run/pack.mjs`, 'utf8')
  const carried = [...(/carried = \[(.*)\]/.exec(packing)?.[1] ?? '').matchAll(/'(.+?)'/g)]
  expect([...new Set(loaded.filter(isOurs))].sort()).toEqual(carried.map(([, name]) => name))
})

test('package.json, the changelog and the app name the same version', () => {
  const changelog = readFileSync(`${top}.github/CHANGELOG.md`, 'utf8')
  expect(/^## (\S+)/m.exec(changelog)?.[1]).toBe(version)
  expect(manifest.version).toBe(version)
})

test.each([
  [['strat'], 64, 'There is no command `petrel strat`. Did you mean `petrel start`?'],
  [['start', '--prot', '1'], 64, "Unknown option '--prot'."],
  [['start', 'here'], 64, '`petrel start` does not take “here”'],
  [['start', '--port', 'http'], 78, 'PORT must be a whole number from 0 to 65535'],
] as const)('petrel %j is refused with words', (words, code, said) => {
  const args = [`${top}dist/server/main.js`, ...words]
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env: {} })
  expect(stderr).toContain(said)
  expect(status).toBe(code)
})

test.each([['--help'], ['start', '--help'], ['version', '--help']])(
  'petrel %s %s says what there is',
  (...words) => {
    const args = [`${top}dist/server/main.js`, ...words]
    const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8', env: {} })
    expect(stdout).toContain('Usage: petrel')
    expect(status).toBe(0)
  },
)
