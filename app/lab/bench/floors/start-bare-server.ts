import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('bare-server.ts', import.meta.url))

/** Starts `bare-server.ts` in its own process. Returns its origin. */
export async function startBareServer(
  env: Record<string, string> = {},
): Promise<{ origin: string; close(): Promise<void> }> {
  const child = spawn(process.execPath, ['--import', 'tsx', program], {
    env: { NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [printed] = await once(child.stdout, 'data')
  return {
    origin: `http://127.0.0.1:${Number(String(printed))}`,
    async close() {
      child.kill()
      await once(child, 'exit')
    },
  }
}
