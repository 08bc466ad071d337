import { hkdf } from '@noble/hashes/hkdf.js'
import { hmac } from '@noble/hashes/hmac.js'
import { sha256, sha512 } from '@noble/hashes/sha2.js'
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { type PublicKeys, publicKeysText } from '../../schema/encryption/account-keys.ts'
import type { AccountKeys } from './account-keys.ts'
import { toBase64Url } from './base64-url.ts'

/** One side of a safety number. */
export interface KeyHolder {
  userId: string
  keys: PublicKeys
}

/**
 * 60 digits that two people compare to know that nobody stands between them; the same for both. As
 * Signal's: 5,200 rounds of SHA-512 for each side make a search for a similar number costly.
 */
export function safetyNumber(a: KeyHolder, b: KeyHolder): string {
  return [a, b].map(fingerprint).sort().join('')
}

const fingerprintRounds = 5_200

/** 30 digits of one person's keys. */
function fingerprint({ userId, keys }: KeyHolder): string {
  const held = utf8ToBytes(`petrel safety number v1\n${publicKeysText(keys, userId)}`)
  let hash = sha512(held)
  for (let round = 1; round < fingerprintRounds; round += 1) hash = sha512(concatBytes(hash, held))
  return Array.from({ length: 6 }, (_, at) => {
    const group = hash.subarray(at * 5, at * 5 + 5)
    return String(group.reduce((sum, byte) => sum * 256 + byte, 0) % 100_000).padStart(5, '0')
  }).join('')
}

const codeStart = 'PETREL-SAFETY-1:'

/** What a QR code of a safety number says. */
export function writeSafetyCode(number: string): string {
  return `${codeStart}${number}`
}

/** The safety number in a scanned code; undefined for any other code. */
export function readSafetyCode(text: string): string | undefined {
  const number = text.trim().slice(codeStart.length)
  return text.trim().startsWith(codeStart) && /^\d{60}$/.test(number) ? number : undefined
}

/**
 * Proves that this person compared the other's keys. It lies on the server with the settings, so only
 * who has the own seed can make it: a server cannot mark keys of its own. Another key of either side
 * makes it worthless.
 */
export function proveKeys(
  { seed }: Pick<AccountKeys, 'seed'>,
  { userId, keys }: KeyHolder,
): string {
  const key = hkdf(sha256, seed, undefined, utf8ToBytes('petrel account v1 compared keys'), 32)
  const proof = hmac(sha256, key, utf8ToBytes(publicKeysText(keys, userId)))
  return toBase64Url(proof.subarray(0, 16))
}
