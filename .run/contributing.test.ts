import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { top } from './project.mjs'

const contributing = readFileSync(`${top}.github/CONTRIBUTING.md`, 'utf8')
const [, map = ''] = contributing.split('\n## Where things are\n')
const [places = ''] = map.split('**Arrows.**')
const files = ['app', 'sync-server', 'schema', 'public'].flatMap((part) =>
  readdirSync(top + part, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(top, join(entry.parentPath, entry.name))),
)
const folders = [...new Set(files.map((file) => dirname(file)))]

test('CONTRIBUTING describes every folder', () => {
  const unnamed = folders.filter(
    // Fixtures belong to the tests beside them.
    (folder) => basename(folder) !== 'fixtures' && !places.includes(`${basename(folder)}/`),
  )
  expect(unnamed).toEqual([])
})

test('a folder has no more files than a reader can take in, tests aside', () => {
  const programs = files.filter(isProgram)
  const counts = folders.map((folder) => ({
    folder,
    count: programs.filter((file) => dirname(file) === folder).length,
  }))
  // The bench has one file per figure.
  const full = counts.filter(({ folder, count }) => count > 25 && folder !== 'app/lab/bench')
  expect(full).toEqual([])
})

test('no two folders import each other', () => {
  const known = new Set(files)
  const arrows = new Set(
    files.filter(isProgram).flatMap((file) =>
      listImports(file)
        .filter((imported) => known.has(imported) && dirname(imported) !== dirname(file))
        .map((imported) => `${dirname(file)} → ${dirname(imported)}`),
    ),
  )
  const both = [...arrows].filter((arrow) => arrows.has(arrow.split(' → ').reverse().join(' → ')))
  expect(both).toEqual([])
})

test('nobody loads the whole of zod: its first schema changes the words of all others, in tests and servers', () => {
  const loads = files.filter(
    (file) => isProgram(file) && /['"]zod['"]/.test(readFileSync(top + file, 'utf8')),
  )
  expect(loads).toEqual([])
})

function isProgram(file: string): boolean {
  return /\.tsx?$/.test(file) && !/\.(test|e2e|contract)\./.test(file)
}

/**
 * The project files that this one imports, statically or dynamically, relative to the top folder.
 */
function listImports(file: string): string[] {
  const text = readFileSync(top + file, 'utf8')
  const found = text.matchAll(/(?:from\s+|import\s*\(\s*|import\s+)(['"])(\.[^'"]*)\1/g)
  return [...found].map(([, , path = '']) => join(dirname(file), path))
}
