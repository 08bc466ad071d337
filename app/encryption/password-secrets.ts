import { hkdf } from '@noble/hashes/hkdf.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import {
  earlierPasswordCost,
  type PasswordDerivation,
  type PasswordSecret,
  passwordCost,
  passwordCostMax,
  passwordPurposes,
} from '../../schema/encryption/password-derivation.ts'
import { fromBase64Url, toBase64Url } from './base64-url.ts'

/** What a password becomes. Neither half tells the password or the other one. */
export interface PasswordSecrets {
  /** Signs in, in the password's place. */
  shown: PasswordSecret
  /** Opens the wrapped seed; 32 bytes that never leave the device. */
  wrapKey: Uint8Array
}

/** Thrown when a server asks for secrets from which the password would be cheap to guess. */
export class WeakDerivation extends Error {
  override name = 'WeakDerivation'

  constructor() {
    super(
      'This server asks for a weaker protection of your password than this app accepts. Nothing was sent. Please ask whoever runs the server.',
    )
  }
}

/**
 * Derives a password's secrets. Takes 32 MiB and a second or less; on a screen use it in a worker.
 * @throws WeakDerivation
 */
export async function derivePasswordSecrets(
  password: string,
  derivation: PasswordDerivation,
): Promise<PasswordSecrets> {
  if (!isStrong(derivation)) throw new WeakDerivation()
  const { salt, earlier } = derivation
  const root = await deriveRoot(password, derivation)
  const purpose = (text: string) => hkdf(sha256, root, undefined, utf8ToBytes(text), 32)
  const shown: PasswordSecret = {
    v: 1,
    salt,
    secret: toBase64Url(purpose(passwordPurposes.signIn)),
    ...(earlier && { earlier: await hashEarlier(password, earlier) }),
  }
  return { shown, wrapKey: purpose(passwordPurposes.wrap) }
}

function isStrong({ v, logN, r, p, salt, earlier }: PasswordDerivation): boolean {
  const isWithin = (value: number, least: number, most: number) => value >= least && value <= most
  return (
    v === 1 &&
    isWithin(logN, passwordCost.logN, passwordCostMax.logN) &&
    isWithin(r, passwordCost.r, passwordCostMax.r) &&
    isWithin(p, passwordCost.p, passwordCostMax.p) &&
    fromBase64Url(salt).length === 16 &&
    (!earlier || isWithin(earlier.cost, earlierPasswordCost, 14))
  )
}

type Cost = Pick<PasswordDerivation, 'salt' | 'logN' | 'r' | 'p'>

async function deriveRoot(password: string, { salt, logN, r, p }: Cost): Promise<Uint8Array> {
  const bytes = fromBase64Url(salt)
  try {
    const { scrypt } = await import('hash-wasm')
    return await scrypt({
      password,
      salt: bytes,
      costFactor: 2 ** logN,
      blockSize: r,
      parallelism: p,
      hashLength: 32,
      outputType: 'binary',
    })
  } catch {
    // Some browsers run no WebAssembly, as in the lockdown mode of iOS: slower, and the same.
    const { scryptAsync } = await import('@noble/hashes/scrypt.js')
    return await scryptAsync(utf8ToBytes(password), bytes, { N: 2 ** logN, r, p, dkLen: 32 })
  }
}

/**
 * bcrypt's hash of the password, as the first servers kept it: they learn the new secret from who
 * knows this.
 */
async function hashEarlier(
  password: string,
  { salt, cost }: NonNullable<PasswordDerivation['earlier']>,
): Promise<string> {
  const { bcrypt } = await import('hash-wasm')
  const encoded = await bcrypt({
    password,
    salt: readBcryptLetters(salt),
    costFactor: cost,
    outputType: 'encoded',
  })
  return encoded.slice(-31)
}

const bcryptLetters = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const base64UrlLetters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

function readBcryptLetters(text: string): Uint8Array {
  const letters = text.replace(
    /./g,
    (letter) => base64UrlLetters[bcryptLetters.indexOf(letter)] ?? '',
  )
  return fromBase64Url(letters)
}
