import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { findFreePort } from '../../../../sync-server/lib/find-free-port.ts'
import { waitUntil } from '../../browser/wait-until.ts'

const manifest = createRequire(import.meta.url).resolve('pouchdb-server/package.json')
const program = join(dirname(manifest), 'bin', 'pouchdb-server')

/** A stock pouchdb-server on LevelDB, for comparison. Returns its origin. */
export async function startPouchServer(): Promise<{ origin: string; close(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'petrel-pouch-server-'))
  const port = await findFreePort()
  const origin = `http://127.0.0.1:${port}`
  const child = spawn(
    process.execPath,
    [program, '--port', String(port), '--dir', folder, '--no-stdout-logs'],
    { cwd: folder, stdio: 'ignore' },
  )
  await waitUntil('pouchdb-server answers', () =>
    fetch(origin).then(
      (response) => response.ok,
      () => false,
    ),
  )
  return {
    origin,
    async close() {
      child.kill()
      await once(child, 'exit')
      await rm(folder, { recursive: true, force: true })
    },
  }
}
