import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { top } from './project.mjs'
import { readme, readSection } from './read-readme.ts'

test('the README names every setting, and no other', () => {
  const config = readFileSync(`${top}sync-server/config.ts`, 'utf8')
  const settings = [...config.matchAll(/^ {2}([A-Z][A-Z_]+):/gm)].map(([, name]) => name)
  const rows = readSection('Settings').filter((line) => line.startsWith('| `'))
  const named = rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)])
  expect(named.map(([, name]) => name).toSorted()).toEqual(settings.toSorted())
})

test('the README names every setting of the business channel, and no other', () => {
  const settings = readFileSync(`${top}sync-server/whatsapp/client/whatsapp-settings.ts`, 'utf8')
  const names = [...settings.matchAll(/^ {2}(WHATSAPP_\w+):/gm)].map(([, name]) => name)
  const rows = readSection('WhatsApp').filter((line) => line.startsWith('| `'))
  const named = rows.map((row) => /^\| `(\w+)`/.exec(row)?.[1])
  expect(named.toSorted()).toEqual([...new Set(names)].toSorted())
})

test('every file that the README shows or links to is there', () => {
  const paths = [...readme.matchAll(/(?:\]\(|src=")([^)":]+)[)"]/g)].map(([, path]) => path)
  expect(paths.length).toBeGreaterThan(3)
  const headings = [...readme.matchAll(/^#+ (.+)$/gm)].map(([, text = '']) => toAnchor(text))
  const isThere = (path = '') =>
    path.startsWith('#') ? headings.includes(path) : existsSync(`${top}${path}`)
  expect(paths.filter((path) => !isThere(path))).toEqual([])
})

/** As GitHub makes it of a heading. */
const toAnchor = (heading: string) =>
  `#${heading
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .replaceAll(' ', '-')}`
