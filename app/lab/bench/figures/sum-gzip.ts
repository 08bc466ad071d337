import { gzipSync } from 'node:zlib'

/** What these files weigh together, each compressed as a web server would. In bytes. */
export function sumGzip(files: readonly Buffer[]): number {
  return files.reduce((sum, file) => sum + gzipSync(new Uint8Array(file), { level: 9 }).length, 0)
}
