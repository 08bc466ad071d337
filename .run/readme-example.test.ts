import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startTestApp } from '../sync-server/testing/start-test-app.ts'
import { top } from './project.mjs'
import { readSection } from './read-readme.ts'

test('the example of the client library runs unchanged', async () => {
  const app = await startTestApp()
  onTestFinished(() => app.close())
  const account = { username: 'ann', email: 'ann@example.org', password: 'a secret' }
  const ann = (await app.call('POST', '/api/auth/register', { body: account })).body.user
  const ben = await app.register('ben')

  const section = readSection('The client library').join('\n')
  const example = /```ts\n([\s\S]*?)```/.exec(section)?.[1] ?? ''
  const folder = await mkdtemp(join(tmpdir(), 'petrel-readme-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, 'hello.mts')
  const placed = example.replaceAll("'./", `'${top}`).replace('http://127.0.0.1:3000', app.url)
  await writeFile(file, placed)
  const args = ['--import', 'tsx', file]
  const [code] = await once(spawn(process.execPath, args, { cwd: top, stdio: 'inherit' }), 'exit')
  expect(code).toBe(0)

  const arrived = await app.call('GET', `/api/messages/${ann._id}`, { token: ben.token })
  expect(arrived.body).toMatchObject([{ content: 'hello' }])
})
