import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { endProcess, nameDataDir, startServerProcess } from '../testing/open-test-process.ts'
import { runPetrel } from '../testing/run-petrel.ts'

async function register(url: string, username: string) {
  const answer = await fetch(`${url}/api/auth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, email: `${username}@example.org`, password: 'a secret' }),
  })
  return answer.status
}

test('petrel backup while it runs, restore once it is stopped, and doctor for both; what goes wrong has words and a code', async () => {
  const dataDir = await nameDataDir()
  const petrel = (...words: string[]) => runPetrel({ DATA_DIR: dataDir }, words)
  const folder = join(dirname(dataDir), 'backups')
  const first = await startServerProcess({ dataDir })
  expect(await register(first.url, 'Ann')).toBe(201)
  expect((await petrel('backup')).complaint).toContain('Name a folder for the backup')
  const made = JSON.parse((await petrel('backup', folder, '--json')).said)
  expect(await readdir(folder)).toHaveLength(1)
  expect(await register(first.url, 'Ben')).toBe(201)
  expect((await petrel('doctor')).said).toContain('2 people, 0 messages, 0 files.\nEverything is')
  const busy = await petrel('restore', made.path)
  expect([busy.code, busy.complaint]).toEqual([
    1,
    `A server works on ${dataDir}. Stop it first: nothing was changed.\n`,
  ])
  expect(await endProcess(first.child, 'SIGTERM')).toBe(0)

  const whole = await petrel('doctor', made.path)
  expect([whole.code, whole.said]).toEqual([0, expect.stringContaining('This backup is whole')])
  const missing = await petrel('restore', join(folder, 'nothing'))
  expect([missing.code, missing.complaint]).toEqual([
    1,
    expect.stringContaining('There is no file'),
  ])
  const done = await petrel('restore', made.path)
  expect([done.code, done.said]).toEqual([0, expect.stringContaining('What was there lies in')])
  const upgrade = await petrel('doctor', '--upgrade')
  expect(upgrade.said).toContain('1 people, 0 messages, 0 files.')
  expect(upgrade.said).toContain('an upgrade changes none of them')
  const rehearsed = await petrel('doctor', '--upgrade', made.path)
  expect([rehearsed.code, rehearsed.said]).toEqual([
    0,
    expect.stringMatching(/an upgrade changes nothing\. It holds as much as before\.\n1 people, 0/),
  ])
  // Without a server the command opens the store itself.
  expect((await petrel('backup', folder)).said).toContain('entries, in')
  const second = await startServerProcess({ dataDir })
  expect(await register(second.url, 'Ann')).toBe(409)
  expect(await register(second.url, 'Ben')).toBe(201)
  expect(await endProcess(second.child, 'SIGTERM')).toBe(0)
})
