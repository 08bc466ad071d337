import { gcm } from '@noble/ciphers/aes.js'
import { x25519 } from '@noble/curves/ed25519.js'
import { hkdf } from '@noble/hashes/hkdf.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { concatBytes, randomBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import * as z from 'zod/mini'
import type { HandedKeys } from '../../schema/api/device-link.ts'
import { type AccountKeys, deriveAccountKeys, type KeyPair } from './account-keys.ts'
import { fromBase64Url, toBase64Url } from './base64-url.ts'

/** What a device that asks to be linked is sent keys to; a new pair for each code. */
export function createHandoverPair(): KeyPair & { agreement: string } {
  const { secretKey, publicKey } = x25519.keygen()
  return { secretKey, publicKey, agreement: toBase64Url(publicKey) }
}

/** The id in the code of a device with these keys: nobody can put another key behind that code. */
export function nameDeviceLink(device: {
  publicKey: string
  agreement?: string | undefined
}): string {
  const { publicKey, agreement = '' } = device
  const keys = concatBytes(fromBase64Url(publicKey), fromBase64Url(agreement))
  return toBase64Url(sha256(keys).subarray(0, 16))
}

/** What the sealed keys are bound to: this code, and this person. */
interface Handover {
  id: string
  userId: string
}

const handed = z
  .array(z.object({ number: z.int().check(z.positive()), seed: z.string() }))
  .check(z.minLength(1), z.maxLength(100))
const nonceBytes = 12

/**
 * Seals all own keys, the present and the former, for the device that this code stands for.
 * @throws on a key with which nothing can be agreed
 */
export function handKeys(
  all: readonly AccountKeys[],
  { agreement, ...place }: Handover & { agreement: string },
): HandedKeys {
  const ephemeral = x25519.keygen()
  const to = fromBase64Url(agreement)
  const shared = x25519.getSharedSecret(ephemeral.secretKey, to)
  const key = deriveKey(shared, { ephemeral: ephemeral.publicKey, to })
  const words = JSON.stringify(
    all.slice(0, 100).map(({ number, seed }) => ({ number, seed: toBase64Url(seed) })),
  )
  const nonce = randomBytes(nonceBytes)
  const box = gcm(key, nonce, describe(place)).encrypt(utf8ToBytes(words))
  return {
    v: 1,
    ephemeral: toBase64Url(ephemeral.publicKey),
    box: toBase64Url(concatBytes(nonce, box)),
  }
}

/** The keys that were handed over; undefined for what is not meant for this device. */
export function takeHandedKeys(
  { ephemeral, box }: HandedKeys,
  { pair, ...place }: Handover & { pair: KeyPair },
): AccountKeys[] | undefined {
  try {
    const from = fromBase64Url(ephemeral)
    const shared = x25519.getSharedSecret(pair.secretKey, from)
    const key = deriveKey(shared, { ephemeral: from, to: pair.publicKey })
    const bytes = fromBase64Url(box)
    const opened = gcm(key, bytes.subarray(0, nonceBytes), describe(place)).decrypt(
      bytes.subarray(nonceBytes),
    )
    const all = handed.parse(JSON.parse(new TextDecoder().decode(opened)))
    return all.map(({ number, seed }) => deriveAccountKeys({ number, seed: fromBase64Url(seed) }))
  } catch {
    return undefined
  }
}

function deriveKey(
  shared: Uint8Array,
  { ephemeral, to }: { ephemeral: Uint8Array; to: Uint8Array },
) {
  const salt = concatBytes(ephemeral, to)
  return hkdf(sha256, shared, salt, utf8ToBytes('petrel handed keys v1'), 32)
}

function describe({ id, userId }: Handover): Uint8Array {
  return utf8ToBytes(`petrel handed keys v1\n${id}\n${userId}`)
}
