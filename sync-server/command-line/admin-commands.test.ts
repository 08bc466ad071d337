import { readFile, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { nameDataDir, startServerProcess } from '../testing/open-test-process.ts'
import { runPetrel } from '../testing/run-petrel.ts'
import { createAdminCommands } from './admin-commands.ts'

const petrel = (dataDir: string, ...words: string[]) => runPetrel({ DATA_DIR: dataDir }, words)

test('petrel admin works while the server runs: a sentence, a table, or JSON; and what goes wrong has words and a code', async () => {
  const dataDir = await nameDataDir()
  const none = await petrel(dataDir, 'admin', 'people', 'list')
  expect(none.complaint).toContain(`No server runs with the folder ${dataDir}.`)
  expect(none.code).toBe(1)
  const { url } = await startServerProcess({ dataDir })
  async function post(path: string, body: object, token = '') {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
    const answer = await fetch(`${url}/api${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    return { status: answer.status, body: await answer.json() }
  }
  const registered = []
  for (const username of ['Ann', 'Ben']) {
    const email = `${username}@example.org`
    registered.push(await post('/auth/register', { username, email, password: 'a secret' }))
  }
  const [ann, ben] = registered
  expect([ann?.status, ben?.status]).toEqual([201, 201])
  const table = await petrel(dataDir, 'admin', 'people', 'list')
  expect(table.said).toMatch(/^name +id +state.*\nAnn +\S+ +enabled .*\nBen /)
  const json = await petrel(dataDir, 'admin', 'people', 'list', 'ben', '--json')
  expect(JSON.parse(json.said).people).toMatchObject([{ name: 'Ben', isAdmin: false }])
  const said = {
    isTheirs: true,
    text: 'a\u001b[2Jwatch?',
    writtenAt: '2026-11-28T10:00:00.000Z',
  }
  const report = { reason: 'He sells watches', messages: [said] }
  await post(`/users/${ben?.body.user._id}/report`, report, ann?.body.token)
  const reports = await petrel(dataDir, 'admin', 'reports', 'list')
  const [, id = ''] = /^(\S+) +Ann +Ben +.*He sells watches$/m.exec(reports.said) ?? []
  const shown = await petrel(dataDir, 'admin', 'reports', 'show', id)
  // What strangers wrote must not write over the terminal.
  expect(shown.said).toContain('Ben, a [2Jwatch?, 2026-11-28T10:00:00.000Z')
  const reason = ['--reason', 'spam']
  const disabled = await petrel(dataDir, 'admin', 'people', 'disable', 'ben', ...reason)
  expect(disabled.said).toBe('Ben is disabled: 1 sign-in ended.\n')
  const audit = await petrel(dataDir, 'admin', 'audit', '--json')
  expect(JSON.parse(audit.said).entries).toMatchObject([
    { by: 'operator', action: 'people disable', subject: 'Ben', reason: 'spam' },
  ])
  const proved = await petrel(dataDir, 'admin', 'people', 'prove-phone', 'ann', '+1 555 078 3881')
  expect(proved.said).toBe('+15550783881 is Ann’s.\n')
  for (const [words, code, complaint] of [
    [['people', 'prove-phone', 'ann'], 64, '`petrel admin people prove-phone` needs number'],
    [['people', 'disabel', 'ann'], 64, 'Did you mean `petrel admin people disable`?'],
    [['people', 'disable'], 64, '`petrel admin people disable` needs name'],
    [['people', 'show', 'zoe'], 1, 'Nobody here is called “zoe”.'],
    [['people', 'quota', 'ann', 'much'], 1, 'The quota is a whole number of MB.'],
    [['people', 'delete', 'ann'], 1, 'Add --yes to do this without a terminal.'],
  ] as const) {
    const refused = await petrel(dataDir, 'admin', ...words)
    expect([refused.code, refused.complaint]).toEqual([code, expect.stringContaining(complaint)])
  }
  const help = await petrel(dataDir, 'admin', 'people', '--help')
  expect(help.said).toMatch(/ sign-out +ends all sign-ins of a person\n/)
  const deleted = await petrel(dataDir, 'admin', 'people', 'delete', 'ann', '--yes')
  expect(deleted.said).toBe('Ann is deleted.\n')
  const freed = await petrel(dataDir, 'admin', 'people', 'release-name', 'Ann', '--json')
  expect(JSON.parse(freed.said)).toMatchObject({ name: 'Ann' })
})

test('every word that scripts use is there, and answers them with JSON', async () => {
  const { commands } = createAdminCommands({ readDataDir: () => '', print: () => undefined })
  const listed = Object.entries(commands).flatMap<readonly [string, object]>(([name, entry]) =>
    'commands' in entry
      ? Object.entries(entry.commands).map(([word, one]) => [`${name} ${word}`, one] as const)
      : [[name, entry] as const],
  )
  const words = [
    ...['list', 'show', 'disable', 'enable', 'delete', 'sign-out', 'quota', 'rename'].map(
      (word) => `people ${word}`,
    ),
    ...['list', 'show', 'dismiss', 'warn', 'disable'].map((word) => `reports ${word}`),
    ...['create', 'list', 'revoke'].map((word) => `invites ${word}`),
    ...['reset-password', 'grant', 'revoke', 'announce', 'health', 'audit'],
  ]
  expect(listed.map(([name]) => name)).toEqual(expect.arrayContaining(words))
  for (const [, one] of listed) expect(one).toHaveProperty('options.json.kind', 'flag')

  const dataDir = await nameDataDir()
  const help = await petrel(dataDir, 'help')
  expect(help.code).toBe(0)
  for (const name of ['start', 'admin', 'backup', 'restore', 'move', 'doctor', 'export-person']) {
    expect(help.said).toMatch(new RegExp(`^  ${name} +\\S`, 'm'))
  }
  expect((await petrel(dataDir, 'help', 'move')).said).toContain('--cancel')
})

test('petrel export-person writes what is kept about somebody, which only its user may read, and never over a file', async () => {
  const dataDir = await nameDataDir()
  const { url } = await startServerProcess({ dataDir })
  const register = async (username: string) => {
    const answer = await fetch(`${url}/api/auth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username, email: `${username}@example.org`, password: 'a secret' }),
    })
    return (await answer.json()) as { token: string; user: { _id: string } }
  }
  const [ann, ben] = [await register('Ann'), await register('Ben')]
  const sent = await fetch(`${url}/api/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${ann.token}` },
    body: JSON.stringify({ recipientId: ben.user._id, content: 'the lamp is lit' }),
  })
  expect(sent.status).toBe(201)
  const file = join(dirname(dataDir), 'ann.json')
  const made = await petrel(dataDir, 'export-person', 'ann', file, '--reason', 'case 7', '--json')
  expect([made.complaint, JSON.parse(made.said)]).toEqual([
    '',
    expect.objectContaining({ name: 'Ann', file }),
  ])
  const whole = JSON.parse(await readFile(file, 'utf8'))
  expect(whole.user.username).toBe('Ann')
  expect(whole.messages).toMatchObject([{ content: 'the lamp is lit' }])
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  const audit = await petrel(dataDir, 'admin', 'audit', '--json')
  expect(JSON.parse(audit.said).entries).toMatchObject([
    { by: 'operator', action: 'export-person', subject: 'Ann', reason: 'case 7' },
  ])
  for (const [words, complaint] of [
    [['ann', file], `There is a file ${file} already: nothing was written.`],
    [['zoe', `${file}.2`], 'Nobody here is called “zoe”.'],
    [['ann', join(file, 'within')], 'was not written'],
    [['ann', join(dataDir, 'no-folder', 'ann.json')], 'There is no folder for'],
  ] as const) {
    const refused = await petrel(dataDir, 'export-person', ...words)
    expect([refused.code, refused.complaint]).toEqual([1, expect.stringContaining(complaint)])
  }
  expect(JSON.parse(await readFile(file, 'utf8')).user.username).toBe('Ann')
})
