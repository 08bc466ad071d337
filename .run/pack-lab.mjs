// `npm run pack:lab`: builds the sync lab's kit, for other projects, as petrel-sync-lab-<version>.tgz.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { installIfNeeded, toolPath, top } from './project.mjs'

/** What the kit imports; everything else is Node's. */
const dependencies = ['fake-indexeddb', 'ws']

await installIfNeeded()
const target = resolve(process.argv[2] ?? top)
const manifest = JSON.parse(readFileSync(`${top}package.json`, 'utf8'))
const wanted = { ...manifest.dependencies, ...manifest.devDependencies }
const folder = join(top, 'dist/sync-lab')
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })

/** Modules for `import`, and CommonJS for Jest, which requires what it finds in node_modules. */
for (const [name, module, type] of [
  ['esm', 'nodenext', 'module'],
  ['cjs', 'commonjs', 'commonjs'],
]) {
  const flags = ['--ignoreConfig', '--rewriteRelativeImportExtensions', '--declaration', '--strict']
  const built = spawnSync(
    toolPath('tsc'),
    [
      `${top}app/lab/kit/sync-lab.ts`,
      ...flags,
      ...['--outDir', join(folder, String(name)), '--module', String(module)],
      ...['--target', 'es2022', '--lib', 'es2023,dom,dom.iterable', '--types', 'node'],
      ...[
        '--skipLibCheck',
        '--esModuleInterop',
        '--moduleResolution',
        name === 'esm' ? 'nodenext' : 'bundler',
      ],
    ],
    { cwd: top, encoding: 'utf8' },
  )
  if (built.status !== 0) fail(`${built.stdout}${built.stderr}`)
  writeFileSync(join(folder, String(name), 'package.json'), JSON.stringify({ type }))
  for (const file of readdirSync(join(folder, String(name)))) {
    if (!file.endsWith('.d.ts')) continue
    const path = join(folder, String(name), file)
    writeFileSync(
      path,
      readFileSync(path, 'utf8').replaceAll(/(['"]\.\/[\w-]+)\.ts(['"])/g, '$1.js$2'),
    )
  }
}
cpSync(`${top}LICENSE`, join(folder, 'LICENSE'))
cpSync(`${top}app/lab/kit/README.md`, join(folder, 'README.md'))
writeFileSync(
  join(folder, 'package.json'),
  JSON.stringify(
    {
      name: 'petrel-sync-lab',
      version: manifest.version,
      description:
        'Finds what your sync loses: devices, networks, disks and clocks that fail from a seed.',
      license: manifest.license,
      type: 'module',
      engines: manifest.engines,
      exports: {
        '.': {
          import: { types: './esm/sync-lab.d.ts', default: './esm/sync-lab.js' },
          require: { types: './cjs/sync-lab.d.ts', default: './cjs/sync-lab.js' },
        },
      },
      dependencies: Object.fromEntries(dependencies.map((name) => [name, wanted[name]])),
    },
    undefined,
    2,
  ),
)
const packed = spawnSync('npm', ['pack', '--silent', '--pack-destination', target], {
  cwd: folder,
  encoding: 'utf8',
})
if (packed.status !== 0) fail(packed.stderr)
console.log(join(target, packed.stdout.trim()))

/** @param {string} words */
function fail(words) {
  console.error(`Nothing was packed: ${words}`)
  process.exit(1)
}
