import { fstatSync, writeSync } from 'node:fs'
import { Writable } from 'node:stream'

const standardOutput = 1

/**
 * Standard output as a stream that reports short writes: on a nearly full disk Node's own takes a
 * part of a text for the whole. On a pipe it never blocks on the reader.
 */
export function openStandardOutput(): Writable {
  const kind = fstatSync(standardOutput)
  return kind.isFIFO() || kind.isSocket() ? process.stdout : openFile(standardOutput)
}

function openFile(file: number): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      const bytes = new Uint8Array(chunk)
      try {
        for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
        done()
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)))
      }
    },
  })
}
