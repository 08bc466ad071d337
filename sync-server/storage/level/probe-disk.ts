import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'

const pieceBytes = 2 ** 20

/**
 * Writes `bytes` bytes beside the database and removes them. @throws Error when the disk has no
 * room for them
 */
export async function probeDisk(folder: string, bytes: number): Promise<void> {
  const path = join(folder, 'probe.tmp')
  try {
    const file = await open(path, 'w', 0o600)
    try {
      const piece = new Uint8Array(Math.min(bytes, pieceBytes)).fill(1)
      for (let left = bytes; left > 0; left -= piece.length) await file.writeFile(piece)
      await file.sync()
    } finally {
      await file.close()
    }
  } finally {
    await rm(path, { force: true })
  }
}
