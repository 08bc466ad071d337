import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { must } from '../../schema/helpers/assertions.ts'
import {
  type TestPerson as Person,
  startTestApp,
} from '../../sync-server/testing/start-test-app.ts'
import { createKeyValueStorage } from '../database/storage/key-value-storage.ts'
import { createApi } from './api.ts'
import { createSealedMessages, signInWithKeys } from './sealed-messages.ts'
import { createSessionStore } from './session-store.ts'

const top = fileURLToPath(new URL('../../', import.meta.url))
/** A process that compiles what it loads, and then derives a password, on a busy machine. */
const startsWithin = { timeout: 90_000 }

/** The README's own words, run from another folder against this server. */
async function startBot({ name, url, password }: { name: string; url: string; password: string }) {
  const readme = await readFile(join(top, 'README.md'), 'utf8')
  const [, code = ''] =
    new RegExp(`\`\`\`ts\\n(// ${name}\\.ts[\\s\\S]*?)\`\`\``).exec(readme) ?? []
  expect(code.split('\n').length).toBeLessThan(26)
  const folder = await mkdtemp(join(tmpdir(), 'petrel-bot-'))
  const file = join(folder, `${name}.mts`)
  const here = code
    .replaceAll("from './app/", `from '${top}app/`)
    .replace("'uuid'", JSON.stringify(createRequire(import.meta.url).resolve('uuid')))
    .replace('http://127.0.0.1:3000', url)
    .replace("'a secret'", JSON.stringify(password))
  await writeFile(file, here)
  const bot = spawn(process.execPath, ['--import', 'tsx', file], { cwd: top, stdio: 'pipe' })
  const said: string[] = []
  bot.stderr.on('data', (text) => said.push(String(text)))
  const stop = async () => {
    if (bot.exitCode === null && bot.kill()) await once(bot, 'exit')
  }
  onTestFinished(async () => {
    await stop()
    await rm(folder, { recursive: true })
  })
  return { said, stop }
}

test('P13: the README’s bot makes its keys, and answers what only it and its reader can read', async () => {
  const app = await startTestApp({}, { passwordCost: 15 })
  onTestFinished(() => app.close())
  const [ann, echo] = [await app.register('ann'), await app.register('echo')]
  const { said } = await startBot({ name: 'echo', url: app.url, password: echo.password })
  const sessions = createSessionStore({
    kept: createKeyValueStorage(),
    passing: createKeyValueStorage(),
  })
  const api = createApi({ serverUrl: app.url, fetch, sessions })
  const { password } = ann
  const me = await signInWithKeys({ api, sessions, username: 'ann', password })
  // The same ones the next time.
  expect(await signInWithKeys({ api, sessions, username: 'ann', password })).toEqual(me)
  const sealed = createSealedMessages({ api, ...me })
  await expect
    .poll(
      async () => said.join('') || (await api.users.get(echo.userId)).keys?.number,
      startsWithin,
    )
    .toBe(1)
  const sent = await sealed.send({ recipientId: echo.userId, text: 'the albatross lands' })
  const list = () => api.messages.list(echo.userId)
  await expect.poll(async () => (await list()).length, { message: said.join() }).toBe(2)
  const answer = must((await list()).at(-1), 'an answer')
  expect(answer).toMatchObject({ content: '', replyTo: sent._id })
  expect(await sealed.read(answer)).toMatchObject({ text: 'You said: the albatross lands' })
})

test('P2: the README’s greeter welcomes who is added and who comes by the link, each once', async () => {
  const app = await startTestApp()
  onTestFinished(() => app.close())
  const names = ['ann', 'ben', 'cyd', 'greeter'] as const
  const [ann, ben, cyd, greeter] = (await app.registerAll(names)) as [
    Person,
    Person,
    Person,
    Person,
  ]
  const ask = async (person: Person, method: string, path: string, body?: object) =>
    (await app.call(method, path, { token: person.token, ...(body && { body }) })).body
  const memberIds = [greeter.userId]
  const { group } = await ask(ann, 'POST', '/api/groups', { name: 'Walks', memberIds })
  const path = `/api/groups/${group._id}`
  const read = async () => {
    const messages: { content: string; isSystem?: boolean }[] = await ask(
      ...([ann, 'GET', `/api/messages/${group._id}`] as const),
    )
    return messages.flatMap(({ content, isSystem }) => (isSystem ? [] : [content]))
  }
  const bot = { name: 'greeter', url: app.url, password: greeter.password }
  const first = await startBot(bot)
  await ask(ann, 'POST', `${path}/members`, { memberIds: [ben.userId] })
  await expect
    .poll(async () => first.said.join('') || (await read()), startsWithin)
    .toEqual(['Welcome, ben!'])
  const { code } = await ask(ann, 'POST', `${path}/invite`, {})
  await ask(cyd, 'POST', `/api/groups/join/${code}`)
  await expect.poll(read).toEqual(['Welcome, ben!', 'Welcome, cyd!'])
  await first.stop()
  await startBot(bot)
  await ask(ann, 'DELETE', `${path}/members/${cyd.userId}`)
  await ask(ann, 'POST', `${path}/members`, { memberIds: [cyd.userId] })
  const all = ['Welcome, ben!', 'Welcome, cyd!', 'Welcome, cyd!']
  await expect.poll(read, startsWithin).toEqual(all)
})
