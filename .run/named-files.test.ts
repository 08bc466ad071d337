import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { top } from './project.mjs'

const decisions = '.github/decisions'
const documents = [
  'README.md',
  '.github/CONTRIBUTING.md',
  '.github/differences.md',
  '.github/glossary.md',
  'app/sync/replication/README.md',
  ...readdirSync(top + decisions).map((file) => `${decisions}/${file}`),
]
const files = ['app', 'sync-server', 'schema', 'public', '.run', '.deploy', '.github'].flatMap(
  (part) =>
    readdirSync(top + part, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(top, join(entry.parentPath, entry.name))),
)
/** Whoever follows the document makes it. */
const madeByReaders = ['.deploy/.env']
const names = new Set(files.map((file) => basename(file)))
const folders = ['app', 'schema', 'sync-server', 'public', '.run', '.deploy', '.github']

/** What a document names in backticks: files by their name alone, files and folders by their path. */
function listNamed(document: string): string[] {
  const text = readFileSync(top + document, 'utf8').replace(/^```[\s\S]*?^```/gm, '')
  const named = [...text.matchAll(/`([^`\n]+)`/g)].map(([, inside = '']) => inside)
  return named.filter(
    (one) => /^[\w./-]+\.(tsx?|mjs|css)$/.test(one) || /^[\w.-]+(\/[\w.-]+)+\/?$/.test(one),
  )
}

function isThere(document: string, named: string): boolean {
  if (madeByReaders.includes(named)) return true
  if (!named.includes('/')) return names.has(named) || existsSync(top + named)
  return existsSync(top + named) || existsSync(join(top, dirname(document), named))
}

test.each(documents)('%s names only files that are there', (document) => {
  const isOurs = (named: string) =>
    /\.(tsx?|mjs|css)$/.test(named) || folders.some((folder) => named.startsWith(`${folder}/`))
  const gone = listNamed(document).filter((named) => isOurs(named) && !isThere(document, named))
  expect(gone).toEqual([])
})

test('a name, a path from the top and a path from the document are told apart', () => {
  const page = 'app/sync/replication/README.md'
  expect(
    ['pull-changes.ts', 'app/sync/sync.ts', 'transport/sync-calls.ts'].map((named) =>
      isThere(page, named),
    ),
  ).toEqual([true, false, true])
  expect(isThere(page, 'gone.ts')).toBe(false)
  expect(listNamed(page)).toContain('transport/sync-calls.ts')
})
