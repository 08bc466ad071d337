import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** Starts a program of this folder that prints its port. */
export async function startProgram(
  name: 'push-app-program' | 'push-service-program',
  ...args: readonly string[]
): Promise<{ origin: string; close(): Promise<void> }> {
  const program = fileURLToPath(new URL(`${name}.ts`, import.meta.url))
  const child = spawn(process.execPath, ['--import', 'tsx', program, ...args], {
    env: { NODE_ENV: 'production' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  // An interrupted run leaves nothing behind.
  process.once('exit', () => child.kill('SIGKILL'))
  const [printed] = await once(child.stdout, 'data')
  return {
    origin: `http://127.0.0.1:${Number(String(printed))}`,
    async close() {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}
