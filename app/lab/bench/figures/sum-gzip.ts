import { gzipSync } from 'node:zlib'

/** The total size of these files, each compressed as by a web server. In bytes. */
export function sumGzip(files: readonly Buffer[]): number {
  return files.reduce((sum, file) => sum + gzipSync(new Uint8Array(file), { level: 9 }).length, 0)
}
