import { spawnSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { version } from '../schema/api/version.ts'
import { top } from './project.mjs'

/** A project of somebody else, with the packed kit in its node_modules. */
function installPackedLab() {
  const folder = mkdtempSync(join(tmpdir(), 'sync-lab-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const packing = ['.run/pack-lab.mjs', folder]
  const packed = spawnSync(process.execPath, packing, { cwd: top, encoding: 'utf8' })
  expect(packed.stderr).toBe('')
  const modules = join(folder, 'node_modules')
  mkdirSync(modules)
  spawnSync('tar', ['xzf', join(folder, `petrel-sync-lab-${version}.tgz`), '-C', modules])
  symlinkSync(join(modules, 'package'), join(modules, 'petrel-sync-lab'))
  const manifest = JSON.parse(readFileSync(join(modules, 'package/package.json'), 'utf8'))
  for (const name of Object.keys(manifest.dependencies)) {
    symlinkSync(join(top, 'node_modules', name), join(modules, name))
  }
  const run = (...args: readonly string[]) =>
    spawnSync(process.execPath, ['--preserve-symlinks', ...args], {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH: process.env.PATH },
    })
  return { folder, manifest, run }
}

test('the guide’s first history runs from the packed kit: it finds the fault, and passes without it', {
  timeout: 400_000,
}, () => {
  const { folder, run } = installPackedLab()
  const guide = readFileSync(`${top}app/lab/kit/README.md`, 'utf8')
  const [, first = ''] = /```js\n(\/\/ first\.test\.mjs[\s\S]*?)```/.exec(guide) ?? []
  writeFileSync(join(folder, 'first.test.mjs'), first)
  const failed = run('--test', 'first.test.mjs')
  expect(failed.stdout).toMatch(/is lost on/)
  const [, steps] = /(\d+) of 20 steps are enough/.exec(failed.stdout) ?? []
  expect(Number(steps)).toBeLessThanOrEqual(6)
  expect(failed.status).toBe(1)

  const mended = first.replace('owed.delete(todo[0])', 'if (answer.ok) owed.delete(todo[0])')
  writeFileSync(join(folder, 'first.test.mjs'), mended)
  expect(run('--test', 'first.test.mjs').status).toBe(0)

  // The others, in the world of the first one.
  const [, ...others] = [...guide.matchAll(/```js\n([\s\S]*?)```/g)].map(([, code = '']) => code)
  expect(others).toHaveLength(2)
  const [byHand = '', invariant = ''] = others
  const world = mended.slice(mended.indexOf('/** A server'), mended.indexOf("test('a list"))
  writeFileSync(
    join(folder, 'others.mjs'),
    `import { createLab, tryHistories } from 'petrel-sync-lab'\n${world}\n${byHand}\n${invariant}
    const actions = { look: () => {} }
    await tryHistories({ seeds: [1], open, serve, actions, invariants: [neverEmpty] }).catch((error) => {
      console.log(error.message)
    })\n`,
  )
  const told = run('others.mjs').stdout
  expect(told).toMatch(/^\{ '1': 'milk' \}\nSeed 1: phone is empty; laptop is empty/)

  // As a test in CommonJS, which is how Jest loads it.
  const required = first
    .replace(/^import (.*) from (.*)$/gm, 'const $1 = require($2)')
    .replace('// first.test.mjs', '')
  writeFileSync(join(folder, 'first.test.cjs'), required)
  expect(run('--test', 'first.test.cjs').stdout).toMatch(/is lost on/)
  expect(readdirSync(join(folder, 'node_modules/package/esm'))).toContain('sync-lab.d.ts')
})
