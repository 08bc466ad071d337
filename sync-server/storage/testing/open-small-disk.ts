import { execFile } from 'node:child_process'
import { mkdtemp, open, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * For tests: an in-memory filesystem of a few MiB that `close` removes. @throws where none can be
 * mounted
 */
export async function openSmallDisk({ sizeMiB }: { sizeMiB: number }) {
  const folder = await mkdtemp(join(tmpdir(), 'petrel-disk-'))
  await run('mount', ['-t', 'tmpfs', '-o', `size=${sizeMiB}m`, 'tmpfs', folder])
  const ballast = join(folder, 'ballast')

  return {
    folder,
    /** Fills it until `leave` bytes are free. */
    async fill({ leave }: { leave: number }) {
      const { bavail, bsize } = await statfs(folder)
      const file = await open(ballast, 'a')
      const piece = new Uint8Array(bsize)
      for (let left = bavail * bsize - leave; left >= bsize; left -= bsize) await file.write(piece)
      await file.close()
    },
    free: () => rm(ballast, { force: true }),
    async close() {
      await run('umount', ['-l', folder])
      await rm(folder, { recursive: true })
    },
  }
}
