import { createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { passwordCost } from '../../schema/encryption/password-derivation.ts'

/**
 * What is stored of a password: the hash of the secret that signs in, which scrypt makes of it. Of
 * accounts from before that: bcrypt's hash of the password itself.
 */
export type StoredPassword =
  | { kind: 'secret'; salt: string; logN: number; secretHash: string }
  | { kind: 'earlier'; bcrypt: string; salt: string; cost: number; hash: string }

const secretForm = /^\$scrypt\$ln=(\d+),r=8,p=3\$([\w-]{22})\$([\w-]{43})$/
const earlierForm = /^\$2[aby]\$(\d\d)\$([./A-Za-z0-9]{22})([./A-Za-z0-9]{31})$/

/** @returns undefined for a text that no build wrote: it lets nobody in */
export function readStoredPassword(text: string): StoredPassword | undefined {
  const [, logN, salt, secretHash] = secretForm.exec(text) ?? []
  if (logN && salt && secretHash) return { kind: 'secret', salt, logN: Number(logN), secretHash }
  const [, cost, earlierSalt, hash] = earlierForm.exec(text) ?? []
  if (!cost || !earlierSalt || !hash) return undefined
  return { kind: 'earlier', bcrypt: text, salt: earlierSalt, cost: Number(cost), hash }
}

/** @param given.secret in base64url, as `passwordSecret` carries it */
export function writeStoredPassword(given: { salt: string; logN: number; secret: string }): string {
  const { r, p } = passwordCost
  return `$scrypt$ln=${given.logN},r=${r},p=${p}$${given.salt}$${hashSecret(given.secret)}`
}

/** One fast hash is enough: the secret has cost scrypt already, and the hash itself lets nobody in. */
function hashSecret(secret: string): string {
  return createHash('sha256').update(secret, 'base64url').digest('base64url')
}

const nobodysHash = hashSecret('nobody')

/** Reads like somebody's, and no secret is right. */
export const nobodysPassword = `$scrypt$ln=${passwordCost.logN},r=8,p=3$${'A'.repeat(22)}$${nobodysHash}`

/** In the same time whether or not it matches, and for nobody's password. */
export function isSecretOf(
  stored: StoredPassword | undefined,
  given: { salt: string; secret: string; earlier?: string | undefined },
): boolean {
  const expected = stored?.kind === 'secret' ? stored.secretHash : nobodysHash
  const isRight = isSame(hashSecret(given.secret), expected)
  const earlier = stored?.kind === 'earlier' ? stored.hash : '.'.repeat(31)
  const isEarlierRight = isSame(given.earlier ?? '', earlier)
  if (stored?.kind === 'earlier') return isEarlierRight
  return isRight && stored?.kind === 'secret' && stored.salt === given.salt
}

/** Of texts of any length. */
function isSame(one: string, other: string): boolean {
  const digest = (text: string) => new Uint8Array(createHash('sha256').update(text).digest())
  return timingSafeEqual(digest(one), digest(other))
}

const bcryptLetters = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const base64Letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/**
 * Salts that no account has yet: always the same for one name, and for other servers that share the
 * secret, so that nobody learns from them which names exist.
 */
export function createSaltMaker({ secret }: { secret: string }) {
  const key = new Uint8Array(hkdfSync('sha256', secret, '', 'petrel password salts v1', 32))
  const make = (purpose: string, name: string) =>
    createHmac('sha256', key).update(`${purpose}\n${name}`).digest().subarray(0, 16)
  return {
    /** @param name the claim of a name, or an account's id */
    salt: (name: string) => make('scrypt', name).toString('base64url'),
    /** The same in bcrypt's letters. */
    earlierSalt: (name: string) =>
      make('bcrypt', name)
        .toString('base64')
        .slice(0, 22)
        .replace(/./g, (letter) => bcryptLetters[base64Letters.indexOf(letter)] ?? ''),
  }
}
