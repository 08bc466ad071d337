import { readFile, stat } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

export type Encoding = 'br' | 'gzip'

const packBrotli = promisify(brotliCompress)
const packGzip = promisify(gzip)
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }

/**
 * Compresses each text file once, off the main thread, and caches the result while the file stays
 * the same. The build has written better Brotli, which would keep a browser waiting for seconds.
 */
export function createCompressor() {
  const squeezed = new Map<string, { version: string; packed: Promise<Buffer> }>()

  async function pack(path: string, encoding: Encoding): Promise<Buffer> {
    const built = encoding === 'br' ? await readBuilt(path) : undefined
    if (built) return built
    const plain = await readFile(path, 'utf8')
    return encoding === 'br' ? await packBrotli(plain, brotliOptions) : await packGzip(plain)
  }

  /** @param file.version changes with the file's content */
  return (file: { path: string; version: string; encoding: Encoding }): Promise<Buffer> => {
    const { path, version, encoding } = file
    const key = `${encoding} ${path}`
    const kept = squeezed.get(key)
    if (kept?.version === version) return kept.packed
    const packed = pack(path, encoding)
    squeezed.set(key, { version, packed })
    packed.catch(() => squeezed.delete(key))
    return packed
  }
}

/** What the build compressed, unless the file has changed since then. */
async function readBuilt(path: string): Promise<Buffer | undefined> {
  const built = `${path}.br`
  const [file, packed] = await Promise.all([stat(path), stat(built).catch(() => undefined)])
  return packed && packed.mtimeMs >= file.mtimeMs ? await readFile(built) : undefined
}
