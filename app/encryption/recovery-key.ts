import { hkdf } from '@noble/hashes/hkdf.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { randomBytes, utf8ToBytes } from '@noble/hashes/utils.js'

/** Without 0, 1, 8 and 9, which look like letters (RFC 4648). */
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const keyBytes = 32
const keyLetters = 52
const groupLetters = 4

/** 32 random bytes as 52 letters in groups of four; the last one also checks the others. */
export function createRecoveryKey(): string {
  return writeRecoveryKey(randomBytes(keyBytes))
}

/** @param bytes 32 */
export function writeRecoveryKey(bytes: Uint8Array): string {
  const bits = [...bytes, checkBits(bytes) << 4].map((byte) => byte.toString(2).padStart(8, '0'))
  const all = bits.join('').slice(0, keyLetters * 5)
  const text = (all.match(/.{5}/g) ?? []).map((five) => letters[Number.parseInt(five, 2)]).join('')
  return (text.match(new RegExp(`.{${groupLetters}}`, 'g')) ?? []).join(' ')
}

/**
 * The bytes of a typed recovery key, however it is grouped, with letters that look alike put right.
 * Undefined for what is none, or has a letter wrong (of 16 mistakes 15 are noticed).
 */
export function readRecoveryKey(text: string): Uint8Array | undefined {
  const tidy = text
    .toUpperCase()
    .replace(/[\s-]/g, '')
    .replace(/0/g, 'O')
    .replace(/1/g, 'I')
    .replace(/8/g, 'B')
  if (tidy.length !== keyLetters || [...tidy].some((letter) => !letters.includes(letter))) {
    return undefined
  }
  const bits = [...tidy].map((letter) => letters.indexOf(letter).toString(2).padStart(5, '0'))
  const all = bits.join('')
  const bytes = Uint8Array.from({ length: keyBytes }, (_, at) =>
    Number.parseInt(all.slice(at * 8, at * 8 + 8), 2),
  )
  return Number.parseInt(all.slice(keyBytes * 8), 2) === checkBits(bytes) ? bytes : undefined
}

/** What wraps the seed a second time. @param bytes the recovery key's */
export function recoveryWrapKey(bytes: Uint8Array): Uint8Array {
  return hkdf(sha256, bytes, undefined, utf8ToBytes('petrel recovery key v1'), 32)
}

/** Four bits. */
function checkBits(bytes: Uint8Array): number {
  return (sha256(bytes)[0] ?? 0) >> 4
}
