import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** All files in a folder, and in those within it, in bytes. One that goes meanwhile counts nothing. */
export async function sumSizes(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true })
  const sizes = await Promise.all(
    names.map(async (name) => {
      const found = await stat(join(folder, name)).catch(() => undefined)
      return found?.isFile() ? found.size : 0
    }),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}
