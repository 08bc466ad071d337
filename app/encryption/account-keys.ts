import { gcm } from '@noble/ciphers/aes.js'
import { ed25519, x25519 } from '@noble/curves/ed25519.js'
import { hkdf } from '@noble/hashes/hkdf.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { concatBytes, randomBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import {
  isAgreementKey,
  type PublicKeys,
  publicKeysText,
  type WrappedSeed,
  type WrapWay,
} from '../../schema/encryption/account-keys.ts'
import { fromBase64Url, toBase64Url } from './base64-url.ts'

/** Thrown when a secret does not open what it should: another password, key, person or number. */
export class CannotUnwrap extends Error {
  override name = 'CannotUnwrap'
}

export interface KeyPair {
  publicKey: Uint8Array
  secretKey: Uint8Array
}

/** A person's keys; all their devices share the seed. */
export interface AccountKeys {
  /** Rises with each new seed of the person, from 1. */
  number: number
  /** 32 bytes. */
  seed: Uint8Array
  /** X25519. */
  agreement: KeyPair
  /** Ed25519; `secretKey` is its 32-byte seed. */
  signing: KeyPair
}

const seedBytes = 32
const nonceBytes = 12

/** 32 random bytes, from which all of a person's keys follow. */
export function createSeed(): Uint8Array {
  return randomBytes(seedBytes)
}

/** The keys of a seed: the same on every device, for ever. Takes some milliseconds. */
export function deriveAccountKeys({
  seed,
  number,
}: Pick<AccountKeys, 'seed' | 'number'>): AccountKeys {
  const agreement = deriveSecret(seed, 'petrel account v1 agreement')
  const signing = deriveSecret(seed, 'petrel account v1 signing')
  return {
    number,
    seed,
    agreement: { secretKey: agreement, publicKey: x25519.getPublicKey(agreement) },
    signing: { secretKey: signing, publicKey: ed25519.getPublicKey(signing) },
  }
}

/** HKDF with SHA-256 (RFC 5869), without a salt: the input is random already. 32 bytes. */
function deriveSecret(input: Uint8Array, purpose: string): Uint8Array {
  return hkdf(sha256, input, undefined, utf8ToBytes(purpose), 32)
}

/** The public halves, signed for this person. */
export function publishKeys(keys: AccountKeys, userId: string): PublicKeys {
  const open = {
    v: 1,
    number: keys.number,
    agreement: toBase64Url(keys.agreement.publicKey),
    signing: toBase64Url(keys.signing.publicKey),
  }
  const text = utf8ToBytes(publicKeysText(open, userId))
  return { ...open, signature: toBase64Url(ed25519.sign(text, keys.signing.secretKey)) }
}

/**
 * Are these keys of a format that this app knows, signed for this person by themselves, and such
 * that something can be sealed for them?
 */
export function checkPublishedKeys(keys: PublicKeys, userId: string): boolean {
  try {
    if (keys.v !== 1 || !isAgreementKey(keys.agreement)) return false
    const signing = fromBase64Url(keys.signing)
    if (fromBase64Url(keys.agreement).length !== 32 || signing.length !== 32) return false
    const text = utf8ToBytes(publicKeysText(keys, userId))
    return ed25519.verify(fromBase64Url(keys.signature), text, signing, { zip215: false })
  } catch {
    return false
  }
}

/** What a wrapped seed is bound to. */
export interface WrapPlace {
  userId: string
  way: WrapWay
}

/**
 * Seals the seed for who has this secret.
 * @param wrapKey 32 bytes
 */
export function wrapSeed(
  { seed, number }: Pick<AccountKeys, 'seed' | 'number'>,
  wrapKey: Uint8Array,
  place: WrapPlace,
): WrappedSeed {
  const nonce = randomBytes(nonceBytes)
  const sealed = gcm(wrapKey, nonce, wrapContext({ ...place, number })).encrypt(seed)
  return { v: 1, number, box: toBase64Url(concatBytes(nonce, sealed)) }
}

/**
 * Opens a wrapped seed.
 * @throws CannotUnwrap
 */
export function unwrapSeed(
  { number, box }: WrappedSeed,
  wrapKey: Uint8Array,
  place: WrapPlace,
): AccountKeys {
  try {
    const bytes = fromBase64Url(box)
    const nonce = bytes.subarray(0, nonceBytes)
    const seed = gcm(wrapKey, nonce, wrapContext({ ...place, number })).decrypt(
      bytes.subarray(nonceBytes),
    )
    return deriveAccountKeys({ seed, number })
  } catch {
    throw new CannotUnwrap('This does not open the keys of the account.')
  }
}

function wrapContext({ userId, way, number }: WrapPlace & { number: number }): Uint8Array {
  return utf8ToBytes(`petrel wrapped seed v1\n${way}\n${number}\n${userId}`)
}
