import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findFreePort } from '../../../sync-server/lib/testing/find-free-port.ts'
import { waitUntil } from '../browser/wait-until.ts'
import type { Figure } from './figures/figure.ts'
import { takePercentile } from './figures/take-percentile.ts'

const top = fileURLToPath(new URL('../../../', import.meta.url))
const times = 5
const bareServer = `
  const { default: express } = await import('express')
  express().get('/healthz', (_, response) => response.json({})).listen(process.env.PORT, '127.0.0.1')`

/**
 * `npm start` with everything installed, built and in place: from the command to the first answer.
 */
export async function measure(): Promise<Figure[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'petrel-second-start-'))
  const start = [join('.run', 'start.mjs')]
  await timeStart(start, dataDir)
  const own: number[] = []
  const bare: number[] = []
  for (let i = 0; i < times; i += 1) {
    own.push(await timeStart(start, dataDir))
    bare.push(await timeStart(['--input-type=module', '--eval', bareServer], dataDir))
  }
  await rm(dataDir, { recursive: true })
  return [
    {
      what: 'second start → /healthz answers, median',
      value: takePercentile(own, 0.5),
      unit: 'ms',
      floors: [{ what: 'Express alone', value: takePercentile(bare, 0.5) }],
      target: { atMost: 2_000 },
    },
  ]
}

/** @returns the time to its first answer, in ms, after a clean exit */
async function timeStart(args: string[], dataDir: string): Promise<number> {
  const port = await findFreePort()
  const begun = performance.now()
  const child = spawn(process.execPath, args, {
    cwd: top,
    env: { PORT: String(port), DATA_DIR: dataDir, LOG_LEVEL: 'warn' },
    stdio: 'inherit',
  })
  const isUp = () =>
    fetch(`http://127.0.0.1:${port}/healthz`).then(
      (response) => response.ok,
      () => false,
    )
  await waitUntil('it answers /healthz', isUp, 60_000)
  const tookMs = performance.now() - begun
  child.kill('SIGTERM')
  await once(child, 'exit')
  return tookMs
}
