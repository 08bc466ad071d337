import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pLimit from 'p-limit'
import type { AppOverrides } from '../app-overrides.ts'
import { readSettings } from '../config.ts'
import { createApp } from '../create-app.ts'
import { createStorage, type Storage } from '../storage/storage.ts'
import { quickHasher } from './quick-hasher.ts'

const registrationsAtOnce = 20

export type TestApp = Awaited<ReturnType<typeof startTestApp>>

/** One request, as tests write them. Sends `text` unchanged, instead of a `body`. */
export interface TestRequest {
  token?: string
  body?: unknown
  text?: string
  headers?: Record<string, string>
}

export interface TestPerson {
  userId: string
  username: string
  email: string
  password: string
  token: string
}

/** For tests: the real app on its own port, with real LevelDB in a folder that `close` removes. */
export async function startTestApp(env: Record<string, string> = {}, overrides: AppOverrides = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), 'petrel-app-'))
  const settings = readSettings({
    PORT: '0',
    DATA_DIR: dataDir,
    RATE_LIMIT: 'off',
    LOG_LEVEL: 'silent',
    DURABILITY: 'relaxed',
    ...env,
  })
  const start = (restored?: string) =>
    createApp(
      { ...settings, ...(restored !== undefined && { restored }) },
      { ...(!overrides.passwordCost && { hasher: quickHasher }), checkAnswers: true, ...overrides },
    )
  const running = { app: await start() }

  async function call(method: string, path: string, request: TestRequest = {}) {
    const { token, body, text, headers } = request
    const sent = text ?? (body === undefined ? undefined : JSON.stringify(body))
    const response = await fetch(`${running.app.url}${path}`, {
      method,
      headers: {
        ...(sent === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(sent === undefined ? {} : { body: sent }),
    })
    const answer = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json')
    return {
      status: response.status,
      headers: response.headers,
      text: answer,
      // Tests inspect answers whose shape is under test.
      body: isJson && answer ? JSON.parse(answer) : undefined,
    }
  }

  async function register(username: string): Promise<TestPerson> {
    const email = `${username.toLowerCase()}@example.org`
    const password = `${username}'s password`
    const answer = await call('POST', '/api/auth/register', { body: { username, email, password } })
    if (answer.status !== 201) throw new Error(`${username} was not registered: ${answer.text}`)
    return { username, email, password, token: answer.body.token, userId: answer.body.user._id }
  }

  /** Deletes the account. */
  const leave = ({ token, password }: TestPerson) =>
    call('DELETE', '/api/users/me', { token, body: { password } })

  /** Registers many people, a few at a time: the server limits waiting passwords by address. */
  async function registerAll(usernames: readonly string[]): Promise<TestPerson[]> {
    return await pLimit(registrationsAtOnce).map(usernames, register)
  }

  return {
    get url() {
      return running.app.url
    },
    get port() {
      return running.app.port
    },
    settings,
    stats: () => running.app.stats(),
    call,
    register,
    registerAll,
    leave,
    async restart() {
      await running.app.close()
      running.app = await start()
    },
    /** Inspects the storage while the server is stopped; then restarts it. */
    async whileStopped<Result>(look: (storage: Storage) => Promise<Result>): Promise<Result> {
      await running.app.close()
      const storage = createStorage({ dataDir, durability: 'relaxed' })
      try {
        return await look(storage)
      } finally {
        await storage.close()
        running.app = await start()
      }
    },
    /**
     * Stops it, lets `change` edit the files of its storage, and starts it again as after a restore
     * of that name.
     */
    async restore(restored: string, change: (dataDir: string) => Promise<void>) {
      await running.app.close()
      await change(dataDir)
      running.app = await start(restored)
    },
    async killAndStart() {
      await running.app.kill()
      running.app = await start()
    },
    async close() {
      await running.app.close()
      await rm(dataDir, { recursive: true })
    },
  }
}
