import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { limits } from '../schema/limits.ts'
import { top } from './project.mjs'
import { readme } from './read-readme.ts'

const page = readFileSync(`${top}.github/differences.md`, 'utf8')
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (section|---)/.test(line))
  .map((line) => {
    const [sections = '', says = '', does = '', why] = line.slice(2, -2).split(' | ')
    return { sections, says, does, why }
  })
const find = (says: string) => rows.find((row) => row.says.includes(says))?.does

test('each difference names sections, what they say, and what Petrel does', () => {
  expect(rows.length).toBeGreaterThan(25)
  const unfinished = rows.filter(
    ({ sections, says, does, why }) =>
      !/^[1-9](, [1-9])*$/.test(sections) || !says || !does || why === '',
  )
  expect(unfinished).toEqual([])
})

test('the README and CONTRIBUTING lead to the page, and its numbers to their decisions', () => {
  expect(readme).toContain('](.github/differences.md)')
  const contributing = readFileSync(`${top}.github/CONTRIBUTING.md`, 'utf8')
  expect(contributing).toContain('.github/differences.md')
  const links = [...page.matchAll(/\[(?:decision )?([^\]]+)\]\(([^)]+)\)/g)]
  expect(links.length).toBeGreaterThan(10)
  const astray = links.filter(
    ([, number = '', path = '']) =>
      !path.startsWith(`decisions/${number.padStart(4, '0')}-`) ||
      !existsSync(join(top, '.github', path)),
  )
  expect(astray.map(([link]) => link)).toEqual([])
})

test('its figures are the limits, and what it quotes stands in the app', () => {
  const { password, forwardRecipientsMax, usersOnlineMax } = limits
  expect(find('`users-online` lists everybody')).toContain(`up to ${usersOnlineMax} people`)
  expect(find(`passwords have ${password.minLength} characters`)).toContain(
    `${password.maxBytes} bytes`,
  )
  expect([find('forwarding is partly inert'), forwardRecipientsMax]).toEqual([
    expect.stringContaining('up to fifty people'),
    50,
  ])
  const app = readdirSync(`${top}app`, { recursive: true, withFileTypes: true })
    .filter((entry) => /^[^.]+\.tsx?$/.test(entry.name))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('\n')
  const quoted = [
    ...(find('a list that cannot be fetched') ?? '').matchAll(
      /["']([A-Z][^"]+?)["'](?=[\s,.;]|$)/g,
    ),
  ]
  expect(quoted).toHaveLength(2)
  expect(quoted.map(([, words = '']) => words).filter((words) => !app.includes(words))).toEqual([])
})
