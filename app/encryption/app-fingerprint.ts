import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'

/**
 * What an app is, in 64 hexadecimal digits: the SHA-256 of what `sha256sum` prints for its files.
 * So anybody can make it without this code.
 */
export function fingerprintFiles(files: readonly { path: string; bytes: Uint8Array }[]): string {
  const lines = files.map(({ path, bytes }) => `${bytesToHex(sha256(bytes))}  ${path}\n`)
  return bytesToHex(sha256(utf8ToBytes(lines.join(''))))
}
