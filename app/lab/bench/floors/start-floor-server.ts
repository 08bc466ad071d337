import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('floor-server.ts', import.meta.url))

/**
 * Starts `floor-server.ts` in its own process, with a temporary data folder. Returns its origin.
 */
export async function startFloorServer(): Promise<{ origin: string; close(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'petrel-floor-'))
  const child = spawn(process.execPath, ['--import', 'tsx', program, folder], {
    env: { NODE_ENV: 'production' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [printed] = await once(child.stdout, 'data')
  return {
    origin: `http://127.0.0.1:${Number(String(printed))}`,
    async close() {
      child.kill()
      await once(child, 'exit')
      await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    },
  }
}
