import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const builtApp = fileURLToPath(new URL('../../../../../dist/app/', import.meta.url))

export interface StoryServer {
  port: number
  origin: string
  /** Sets the server's clock to `now`, in epoch ms. */
  setClock(now: number): Promise<void>
  close(): Promise<void>
}

/** The real server with the built app, on its own port, at the story's time. */
export async function startStoryServer(): Promise<StoryServer> {
  const dataDir = await mkdtemp(join(tmpdir(), 'petrel-story-'))
  const child = fork(fileURLToPath(new URL('./story-server.ts', import.meta.url)), [builtApp], {
    env: {
      HOST: '127.0.0.1',
      PORT: '0',
      DATA_DIR: dataDir,
      RATE_LIMIT: 'off',
      LOG_LEVEL: 'warn',
      DURABILITY: 'relaxed',
    },
  })
  // An interrupted run leaves no server behind.
  process.once('exit', () => child.kill('SIGKILL'))
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    async setClock(now) {
      const isSet = once(child, 'message')
      child.send({ aheadMs: now - Date.now() })
      await isSet
    },
    async close() {
      const hasEnded = once(child, 'exit')
      child.disconnect()
      await hasEnded
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
